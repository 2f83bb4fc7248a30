import type { Interval } from "../../results/inference.js";
import type { Cell, OptionValue, Row, UnitRecord } from "../../types/index.js";
import type { PairVerdict } from "../judgements/win-rates.js";
import type { Choice } from "../selections.js";
import type { Summary } from "../summary.js";

/** A paper: what it prints, and what of it a command makes. */
export interface Paper {
  /** `personaagent`: the beginning of the ids of its tables. */
  readonly id: string;
  readonly title: string;
  readonly tables: readonly PaperTable[];
  /** What no run here makes, and why, by its id in the paper: `Fig1`. */
  readonly absent: Readonly<Record<string, string>>;
  /** Where the paper contradicts itself, or its release. */
  readonly contradictions: readonly string[];
}

/** A published table or figure: values exactly as printed, so that rounding can be undone, and what the paper says of them. */
export interface PaperTable {
  /** Paper and table: `personaagent/T2`. */
  readonly name: string;
  readonly title: string;
  /** Paper and table, as its title and numbers name it. */
  readonly source: string;
  /** The model behind the values, as the paper names it; absent where it names none. */
  readonly model?: string;
  /** Empty where no number is printed. */
  readonly columns: readonly PaperColumn[];
  readonly rows: readonly PaperRow[];
  /** Printed with a column a row of these, and a row a column. */
  readonly transposed?: true;
  /** Titles over the names of rows, where they are other than the methods. */
  readonly heads?: readonly string[];
  /** Its numbers are of what was chosen for questions: people's labels belong to it (`--labels`). */
  readonly labelled?: true;
  /** The task of a figure without columns. */
  readonly task?: string;
  /** Derived questions per task; a task is absent where its size cannot be derived. */
  readonly samples: Readonly<Record<string, number>>;
  /** Sizes up to 500 that fit all values of the task too, by task. */
  readonly alsoFits?: Readonly<Record<string, readonly number[]>>;
  /** What else speaks for the derived size, by task. */
  readonly support?: Readonly<Record<string, string>>;
  /** Settings that the paper states; own arms with others are named, and so is what is no default where paper and preset are silent. */
  readonly settings: Readonly<Record<string, OptionValue>>;
  /** Options that it varies: none of their values is another setting. */
  readonly varied?: readonly string[];
  /** Where the paper is silent or only implies a value: what its preset sets; own arms with others are named, too. */
  readonly preset?: PresetSettings;
  readonly claims: readonly Claim[];
  /** What a reader must know of the published values. */
  readonly caveats: readonly string[];
  /** Why an own run is not the published one, besides settings, model and size of the test set. */
  readonly notes: readonly string[];
  /** What a reader must know of the embedded model's numbers. */
  readonly simulated?: string;
  /** Command lines that show what a figure shows; `RUN`, `QUESTION` and `USER` stand for those of an own arm. */
  readonly views: readonly string[];
  /** The chart of a run that draws it, by the beginning of its file's name: `persona-map`. */
  readonly chart?: string;
  /** The end of the command line that makes a run to compare; model and data are added. */
  readonly make: string;
  /** Commands on that run, which stands for `RUN`, before the table is printed. */
  readonly after?: readonly string[];
  /** What a run of it does not make as the paper did. */
  readonly partly?: string;
}

/** Which number stands in a cell, as far as its row or its column says it. */
export interface CellPick {
  /** The own arms that stand there. */
  readonly arm?: ArmPattern;
  /** The model that answers. */
  readonly model?: NamedModel;
  /** The model that utilities are measured with. */
  readonly reference?: NamedModel;
  /** Of which questions. */
  readonly data?: QuestionPick;
  /** What a judge compared the answers with, as `judge --against` names it. */
  readonly against?: string;
  /** Utilities are means over the first so many users that a question was asked for. */
  readonly profiles?: number;
  /** A question counts as personal from this utility on. */
  readonly threshold?: number;
}

export interface PaperColumn extends CellPick {
  readonly task: string;
  /** A metric's name, `seconds` (the median time of a question), `judge` (the mean of a judge's scores), or one of selections. */
  readonly metric: string;
  /** As printed; default: the metric's name. */
  readonly title?: string;
  /** The heading over it; default: the task's title. */
  readonly group?: string;
}

/** Questions of a kind: from a data set of real questions or of made ones; that gain from what is known of the user, or do not. */
export interface QuestionPick {
  readonly real?: boolean;
  readonly personal?: boolean;
}

/** What a preset sets besides, for all tasks and for single ones. */
interface PresetSettings {
  readonly name: string;
  readonly set: Readonly<Record<string, OptionValue>>;
  readonly perTask: Readonly<Record<string, Readonly<Record<string, OptionValue>>>>;
}

export interface PaperRow extends CellPick {
  /** As printed. */
  readonly method: string;
  /** Printed in front of the method. */
  readonly group?: string;
  /** The labels' own choice: no arm. */
  readonly people?: true;
  /** One value a column; `-` where none is printed. */
  readonly printed: readonly string[];
  /** Why a value of this row is no target, by task. */
  readonly suspect?: Readonly<Record<string, string>>;
  /** Tasks on which this row's values do not fit the table's derived size, so are of another test set. */
  readonly otherSet?: readonly string[];
}

export interface ArmPattern {
  readonly method?: string;
  readonly options?: Readonly<Record<string, OptionValue | RegExp>>;
}

export interface NamedModel {
  readonly label: string;
  /** Ids that are this model. */
  readonly is: Pick<RegExp, "test">;
  /** One of these ids. */
  readonly example: string;
}

/** What an own arm ran on. */
interface OwnData {
  readonly name: string;
  readonly files: readonly string[];
}

/** One arm of an own run, all repeats together. */
export interface OwnArm {
  /** The run as typed. */
  readonly run: string;
  readonly finished: boolean;
  readonly cell: Cell;
  /** By name, what it ran with, and the program's default; without a default where the option is not known here. */
  readonly settings: Readonly<Record<string, { readonly value: OptionValue; readonly usual?: OptionValue }>>;
  readonly summary: Summary;
  readonly rows: readonly Row[];
  readonly units: readonly Pick<UnitRecord, "incidents" | "shared">[];
  readonly data: OwnData;
  /** Mean verdict of the first judge that scored its replies; absent where none did. */
  readonly judged?: { readonly mean: number; readonly interval: Interval | undefined };
  /** What it chose for questions that people labelled; read for tables about that. */
  readonly choices?: readonly Choice[];
  /** Verdicts of a judge on its answers against another arm's, by that arm as it was named. */
  readonly verdicts?: Readonly<Record<string, readonly PairVerdict[]>>;
  /** Last persona of every unit and the unit's own initial one; empty where the method keeps none. */
  readonly personas: readonly { readonly unit: string; readonly text: string; readonly initial: string }[];
}

/** A sentence of a paper that own runs can support or not. */
export interface Claim {
  readonly text: string;
  readonly source: string;
  /** What the runs must hold for it. */
  readonly needs: string;
  /** Undefined where the runs do not hold it. */
  check(arms: readonly OwnArm[]): Finding | undefined;
}

export interface Finding {
  readonly holds: boolean;
  /** Neither shown nor refuted. */
  readonly open?: true;
  /** The numbers that it rests on, one line each. */
  readonly evidence: readonly string[];
  /** The part of the claim's subject that the runs lack. */
  readonly without?: readonly string[];
  /** Of the differences that it rests on, those significant at .05 in the claimed direction, each by itself. */
  readonly significant?: { readonly count: number; readonly of: number };
}

/** A value that stands in the paper, as a number; undefined for the dash. */
export const printedNumber = (printed: string): number | undefined =>
  printed === "-" ? undefined : Number(printed.replace(/%$/, "")) / (printed.endsWith("%") ? 100 : 1);

/** A row as printed: its label, what of ours stands beside it, its values with a blank between. */
export const row = (
  label: string,
  arm: ArmPattern | undefined,
  printed: string,
  more: Partial<PaperRow> = {},
): PaperRow => ({
  method: label,
  ...(arm === undefined ? {} : { arm }),
  printed: printed.split(" "),
  ...more,
});

/** Makes tables of one paper: `more` is over what they have in `common`, and that over what is empty. */
export const tableMaker =
  (id: string, paper: string, common: Partial<PaperTable>) =>
  (name: string, title: string, where: string, make: string, more: Partial<PaperTable> = {}): PaperTable => ({
    ...{ columns: [], rows: [], samples: {}, settings: {}, claims: [], caveats: [], notes: [], views: [] },
    ...common,
    ...{ name: `${id}/${name}`, title, source: `${paper}, ${where}`, make },
    ...more,
  });
