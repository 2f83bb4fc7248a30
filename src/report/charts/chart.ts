import type { Summary } from "../../results/summary.js";
import type { Cell, Row, SweepFacts, Task, UnitRecord } from "../../types/index.js";
import type { TaskFacts } from "../tables/results.js";
import type { Spec } from "./theme.js";

/** Where a chart stands in a report, in this order. */
export type ChartSection = "cost" | "tasks" | "sweep" | "users" | "persona";

/** One picture: data and drawing in one vega-lite specification, so that it can be plotted again without this program. */
export interface Chart {
  /** File name without its ending. Unique in a report. */
  readonly name: string;
  readonly title: string;
  /** What to see, how many cases are behind it, and the SIMULATED mark. */
  readonly note: string;
  readonly section: ChartSection;
  /** Of a chart of the section `cost`: its task, and the note where task and sample are said already. */
  readonly of?: { readonly task: string; readonly dataset: string; readonly note: string };
  /** Charts of one group stand together under this title, which the reader opens. */
  readonly group?: string;
  /** With its data inside. Equal material gives equal bytes. */
  readonly spec: Spec;
}

/** The persona of one unit at the end of its alignment. */
interface FinalPersona {
  readonly cell: string;
  /** Unit id: the user, or `user#2` where a user's questions see different pasts. */
  readonly unit: string;
  readonly persona: string;
}

/** The personas of one arm, as a map shows them. */
export interface PersonaSet {
  readonly task: string;
  /** Method, and variant where there are several. */
  readonly arm: string;
  /** What all first personas have in common. */
  readonly template: string;
  readonly personas: readonly FinalPersona[];
  /** One vector per persona, then the template's; absent where nobody embedded them (then there is no map). */
  readonly vectors?: readonly Float32Array[];
  /** Encoder of the vectors. */
  readonly encoder?: string;
}

/** All that charts are drawn from: plain data of one run. */
export interface ChartMaterial {
  readonly summaries: readonly Summary[];
  readonly facts: readonly TaskFacts[];
  readonly cells: readonly Cell[];
  readonly rows: readonly Row[];
  readonly units: readonly UnitRecord[];
  readonly personas: readonly PersonaSet[];
  /** What varies between the arms, where the run is a sweep. */
  readonly sweep?: SweepFacts;
  /** Method that the gains of users are counted over, e.g. `prompt`; a task without it has no chart of gains. */
  readonly reference: string;
  readonly task: (name: string) => Task;
  readonly seed: number;
}
