import { UsageError } from "../../errors.js";
import { choices, registry } from "../../registry/registry.js";
import type { Registry } from "../../types/index.js";
import { assistantPaper } from "./assistant.js";
import type { Paper, PaperTable } from "./paper.js";
import { personaagentPaper } from "./personaagent.js";
import { graphRagPaper } from "./personaagent-graphrag.js";
import { rumsPaper } from "./rums.js";
import { sagePaper } from "./sage.js";

export const papers: readonly Paper[] = [personaagentPaper, graphRagPaper, rumsPaper, sagePaper, assistantPaper];

/** The published tables and figures that runs of this tool make. */
export const paperTables: Registry<PaperTable> = registry(
  "published table",
  papers.flatMap(({ tables }) => tables),
);

/** The table of that id. Throws UsageError, with the reason where the id is known and no run here can produce it. */
export function paperTable(name: string, where: string): PaperTable {
  const known = papers.flatMap(({ absent }) => absent).find((other) => covers(other.name, name));
  if (known === undefined || paperTables.find(name) !== undefined) return paperTables.get(name, where);
  throw new UsageError(`${where} ${name}: ${known.why}; tables: ${paperTables.names.join(", ")}`);
}

/** Every table and figure of a paper: made, partly made, or not and why. Throws UsageError on a paper that is not known. */
export function renderPaper(id: string): string {
  const ids = papers.map((paper) => paper.id);
  const paper = papers.find((one) => one.id === id);
  if (paper === undefined) throw new UsageError(`reproduce ${id}: no such paper${choices(id, ids, "papers")}`);
  const { title, tables, absent, contradictions = [] } = paper;
  const lines = [
    ...tables.map((table) => ({
      state: table.partly === undefined ? "made" : "partly",
      ...table,
      how: `${recipeOf(table).join(", then ")}${table.partly === undefined ? "" : `; ${table.partly}`}`,
    })),
    ...absent.map(({ why, ...one }) => ({ state: "not", ...one, how: why })),
  ];
  const wide = Math.max(...lines.map(({ name }) => name.length));
  return [
    `${id}: ${title}`,
    ...lines.map(
      ({ state, name, how, ...one }) => `${state.padEnd(6)}  ${name.padEnd(wide)}  ${one.title}\n        ${how}`,
    ),
    ...(contradictions.length === 0 ? [] : ["contradictions:", ...contradictions.map((text) => `- ${text}`)]),
  ].join("\n");
}

/** The commands that print a table. */
export const recipeOf = ({ name, make, after = [] }: PaperTable): string[] => [
  `${make} --out RUN`,
  ...after,
  `reproduce ${name} --run RUN`,
];

function covers(pattern: string, name: string): boolean {
  const [known, asked] = [pattern.toLowerCase(), name.toLowerCase()];
  return known.endsWith("*") ? asked.startsWith(known.slice(0, -1)) : asked === known;
}
