import { groupBy } from "../../results/grouped.js";
import { nounOf } from "../../text/count.js";
import type { Row } from "../../types/index.js";
import { type Column, dash, type Table } from "../table.js";
import { formatGain, formatScore } from "../tables/format.js";
import { renderLatex } from "../tables/latex.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import type { Reproduced, ReproducedLine } from "./beside.js";
import type { CheckedClaim } from "./claims.js";
import { bare, gridOf, NO_NUMBERS } from "./grid.js";
import { isArm, type OwnArm } from "./own-arm.js";
import type { ArmPick, PaperTable } from "./paper.js";
import { selectionValues } from "./selection-values.js";

/** Prints the paper's own table filled by own runs, and intervals, claims and what else a reader must know. */
export function renderReproduced(reproduced: Reproduced, form: "text" | "markdown" | "latex"): string {
  const { table, claims, remarks, arms, unreal } = reproduced;
  const about = unreal === undefined ? [...table.caveats, ...table.notes] : [];
  const notes = [...remarks, ...about].map((note) => `- ${note}`);
  const views = viewsFor(table, arms).map((line) => `  ${line}`);
  const grids = table.rows.length === 0 ? [] : [{ ...reproducedGrid(reproduced), notes: [table.source] }];
  const { tables, absent } = unreal === undefined ? detailsOf(reproduced) : { tables: [], absent: [] };
  const said = claims.length === 0 ? [] : [[...claims.map(claimLines), ...intervalNote(claims)].join("\n")];
  const rest = [
    ...(notes.length === 0 ? [] : [notes.join("\n")]),
    ...(views.length === 0 ? [] : [["to look at it:", ...views].join("\n")]),
  ];
  if (form === "latex") return renderLatex([...grids, ...tables], [...absent, ...said, ...rest].join("\n").split("\n"));
  const heading = `${table.name} · ${table.title}${unreal === undefined ? "" : ` · ${unreal}`}\n${table.source}`;
  const drawn = (given: readonly Table[]): string[] =>
    given.length === 0 ? [] : [(form === "text" ? renderText : renderMarkdown)(...given)];
  const first = grids.length === 0 ? [heading, NO_NUMBERS] : drawn(grids);
  return [...first, ...absent, ...said, ...drawn(tables), ...rest].join("\n\n");
}

/** Fills in the commands that show a figure, for an arm of the method and a question that shows the figure's case. */
export const viewsFor = (table: PaperTable, arms: readonly OwnArm[]): string[] =>
  table.views.flatMap((command) => {
    const method = /--method (\S+)/.exec(command)?.[1];
    const own = arms.filter(({ cell }) => method === undefined || cell.method === method);
    const row = caseOf(table, own);
    if (own[0] === undefined || row === undefined) return [];
    const named = command.replace("RUN", own[0].run).replace("QUESTION", row.question).replace("USER", row.user);
    return [`lamp-eval ${named}`];
  });

function caseOf({ case: asked }: PaperTable, arms: readonly OwnArm[]): Row | undefined {
  const rowsOf = (wanted: ArmPick): readonly Row[] => arms.find(({ cell }) => isArm(wanted, cell))?.rows ?? [];
  if (asked === undefined) return rowsOf({}).find(({ outcome }) => outcome.kind === "answered");
  const isRight = ({ outcome, gold }: Row): boolean => outcome.kind === "answered" && outcome.reply === gold;
  const wrong =
    asked.wrong &&
    new Set(
      rowsOf(asked.wrong)
        .filter((row) => !isRight(row))
        .map(({ question }) => question),
    );
  return rowsOf(asked.right).find((row) => isRight(row) && wrong?.has(row.question) !== false);
}

function claimLines({ text, source, verdict, without, evidence }: CheckedClaim): string {
  const claim = `claim: ${text} (${source})`;
  const extent = without.length === 0 ? "" : ` (without ${without.join(", ")})`;
  if (verdict === undefined)
    return `${claim}\n  not checked: these runs hold no such arms with 10 users or more that did not mostly fail${extent}`;
  return [
    claim,
    `  ${verdict}${extent === "" ? "" : `; as far as these runs go${extent}`}`,
    ...evidence.map((line) => `    ${line}`),
  ].join("\n");
}

/** Said where the differences of a claim have intervals. */
const intervalNote = (claims: readonly CheckedClaim[]): string[] =>
  claims.some(({ verdict }) => verdict !== undefined)
    ? ["in brackets: 95 % interval of the difference over users; p: of each pair alone, on the primary metric"]
    : [];

/** Said of a number that an arm is there for and that nothing tells. */
const UNKNOWN = "n/a";

/** Our numbers in the paper's own rows and columns, the published value behind each where ours is real. */
function reproducedGrid({ table, lines, unreal }: Reproduced): Table {
  const cellOf = (row: number, column: number): string => {
    const line = lines.find(({ at }) => at[0] === row && at[1] === column);
    const isPercent = table.rows.some(({ values }) => values[column]?.endsWith("%"));
    const ours = line === undefined ? dash : shown(line, isPercent);
    return unreal === undefined ? `${ours} (${bare(table.rows[row]!.values[column]!)})` : ours; // a place of the table
  };
  const isUnknown = lines.some((line) => line.arm !== undefined && shown(line, false) === UNKNOWN);
  return {
    ...gridOf(table, cellOf),
    title: `${table.name} · ${table.title} · ${unreal ?? "ours (the paper's)"}`,
    legend: [
      ...(lines.some(({ arm }) => arm === undefined) ? [`${dash}: no such arm in these runs`] : []),
      ...(isUnknown
        ? [
            `${UNKNOWN}: the arm is there, the number is not (no question of that kind, no verdict of a judge, no timed call)`,
          ]
        : []),
    ],
  };
}

/** As the paper prints such numbers: a score as .513, percent where its column has percent, else two digits. */
function shown({ ours, arm, metric }: ReproducedLine, isPercent: boolean): string {
  if (ours === undefined || Number.isNaN(ours)) return arm === undefined ? dash : UNKNOWN;
  if (isPercent) return `${(100 * ours).toFixed(1)}%`;
  const hasTwo = metric === "judge" || metric === "seconds" || selectionValues[metric] !== undefined;
  return hasTwo ? ours.toFixed(2).replace(/^-(0\.00)$/, "$1") : formatScore(ours);
}

/** The lines of each task with their intervals, and what of the table's tasks the runs lack. */
function detailsOf({ lines }: Reproduced): { readonly tables: Table[]; readonly absent: string[] } {
  const detailed = lines.filter(
    ({ metric, arm, printed }) => selectionValues[metric] === undefined && (printed !== dash || arm !== undefined),
  );
  const titles = [...groupBy(detailed, ({ title }) => title)];
  const isThere = (of: readonly ReproducedLine[]): boolean => of.some(({ arm }) => arm !== undefined);
  return {
    tables: titles.filter(([, of]) => isThere(of)).map(([title, of]) => linesTable(title, of)),
    absent: titles.filter(([, of]) => !isThere(of)).map(([title]) => `${title}: not in these runs`),
  };
}

function linesTable(title: string, lines: readonly ReproducedLine[]): Table {
  const titles = ["published", "ours", "difference", "95 % of ours", "differs", "n"];
  const marks = [
    ...lines.flatMap(({ method, suspect }) => (suspect === undefined ? [] : [`! ${method}: ${suspect}`])),
    ...lines.flatMap(({ arm, failed }) =>
      failed === 0 ? [] : [`* ${arm}: ${failed} ${nounOf(failed, "question")} failed and not in the scores`],
    ),
  ];
  return {
    title,
    keys: 3,
    columns: [
      ...["method", "ours is", "metric"].map((name): Column => ({ title: name })),
      ...titles.map((name): Column => ({ title: name, align: "right" })),
    ],
    rows: lines.map((line) => [
      line.group === undefined ? line.method : `${line.group}, ${line.method}`,
      line.arm ?? dash,
      `${line.metric} (${line.better === "higher" ? "up" : "down"})`,
      `${bare(line.printed)}${line.suspect === undefined ? "" : "!"}`,
      `${formatScore(line.ours)}${line.failed > 0 ? "*" : ""}`,
      formatGain(line.difference),
      line.interval === undefined ? dash : `[${formatScore(line.interval.low)}, ${formatScore(line.interval.high)}]`,
      line.differs ? "yes" : dash,
      `${line.scored ?? dash} / ${line.paperCount ?? "?"}`,
    ]),
    notes: [...new Set(marks)],
    legend: LEGEND,
  };
}

const LEGEND = [
  "95 % of ours: for users drawn like these; a dash below 10 users",
  "differs: the difference is larger than chance and rounding make it, the paper's error taken as ours at its n; only where its n is known",
  "n: scored questions of ours / of the paper (?: not known); !: the published value is no target",
];
