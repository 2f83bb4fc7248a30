import { UsageError } from "../../errors.js";
import { choices, registry } from "../../registry/registry.js";
import type { Registry } from "../../types/index.js";
import { assistantPaper } from "./assistant.js";
import type { Paper, PaperTable } from "./paper.js";
import { personaagentPaper } from "./personaagent.js";
import { graphRagPaper } from "./personaagent-graphrag.js";
import { personamemPaper } from "./personamem.js";
import { rumsPaper } from "./rums.js";
import { sagePaper } from "./sage.js";

export const papers: readonly Paper[] = [
  personaagentPaper,
  graphRagPaper,
  rumsPaper,
  sagePaper,
  assistantPaper,
  personamemPaper,
];

/** The published tables and figures that runs of this tool make. */
export const paperTables: Registry<PaperTable> = registry(
  "published table",
  papers.flatMap(({ tables }) => tables),
);

/** The table of that id. Throws UsageError, with the reason where the id is known and no run here can produce it. */
export function paperTable(name: string, where: string): PaperTable {
  const [id, part = ""] = name.split("/");
  const { absent = {} } = papers.find((paper) => paper.id === id) ?? {};
  const why = Object.entries(absent).find(([one]) => one.toLowerCase() === part.toLowerCase())?.[1];
  if (why === undefined) return paperTables.get(name, where);
  throw new UsageError(`${where} ${name}: ${why}; tables: ${paperTables.names.join(", ")}`);
}

/** Every table and figure of a paper: made, partly made, or not and why. Throws UsageError on a paper that is not known. */
export function renderPaper(id: string): string {
  const ids = papers.map((paper) => paper.id);
  const paper = papers.find((one) => one.id === id);
  if (paper === undefined) throw new UsageError(`reproduce ${id}: no such paper${choices(id, ids, "papers")}`);
  const { title, tables, absent, contradictions } = paper;
  const made = tables.map((table) => {
    const { name, partly, after: [first, ...more] = [] } = table;
    // Commands of one kind, as judge's against each arm, are told by their last words.
    const kinds =
      more.length === 0 ? first : `${first} (then ${more.map((line) => line.split(" ").at(-1)).join(", ")})`;
    const recipe = recipeOf({ ...table, after: kinds === undefined ? [] : [kinds] }).join(", then ");
    const how = partly === undefined ? recipe : `${recipe}; ${partly}`;
    return [partly === undefined ? "made" : "partly", name, table.title, `\n        ${how}`] as const;
  });
  const lines = [...made, ...Object.entries(absent).map(([name, why]) => ["not", `${id}/${name}`, why, ""] as const)];
  const wide = Math.max(...lines.map(([, name]) => name.length));
  return [
    `${id}: ${title}`,
    ...lines.map(([state, name, what, how]) => `${state.padEnd(6)}  ${name.padEnd(wide)}  ${what}${how}`),
    ...(contradictions.length === 0 ? [] : ["contradictions:", ...contradictions.map((text) => `- ${text}`)]),
  ].join("\n");
}

/** The commands that print a table. */
export const recipeOf = ({ name, make, after = [] }: PaperTable): string[] => [
  `${make} --out RUN`,
  ...after,
  `reproduce ${name} --run RUN`,
];
