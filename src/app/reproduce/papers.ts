import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../../errors.js";
import { choices } from "../../registry/registry.js";
import { type Paper, type PaperTable, paperOf } from "../../report/papers/paper.js";
import { parsed } from "../../run/plan/config.js";

const folder = fileURLToPath(new URL("../../../datasets/papers/", import.meta.url));
const read = new Map<string, Paper>();

/** Returns the ids of the papers of the package, one a YAML file in datasets/papers. */
export const paperIds = (): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => basename(file, ".yaml"))
    .sort();

/** Returns all of them, each read when it is first asked for. */
export const papers = (): readonly Paper[] => paperIds().map(shipped);

function shipped(id: string): Paper {
  const paper = read.get(id) ?? paperOf(id, parsed(join(folder, `${id}.yaml`), id));
  read.set(id, paper);
  return paper;
}

/** Ids of all tables of the package: `personaagent/T2`. */
export const tableNames = (): string[] => papers().flatMap(({ tables }) => tables.map(({ name }) => name));

/** Finds a paper by its id, or reads it from a YAML file. Throws UsageError on an unknown id and on a file that is no paper. */
export function paperNamed(id: string, cwd: string): Paper {
  if (isFile(id)) return paperOf(id, parsed(resolve(cwd, id), id));
  if (paperIds().includes(id)) return shipped(id);
  throw new UsageError(`reproduce ${id}: no such paper${choices(id, paperIds(), "papers")}`);
}

/** Finds a table by `PAPER/TABLE` or `FILE.yaml/TABLE`. Throws UsageError with the reason where no run can produce it. */
export function tableNamed(name: string, cwd: string): PaperTable {
  const slash = name.lastIndexOf("/");
  const [id, part] = [name.slice(0, slash), name.slice(slash + 1).toLowerCase()];
  const isKnown = isFile(id) || paperIds().includes(id.toLowerCase());
  const paper = isKnown ? paperNamed(isFile(id) ? id : id.toLowerCase(), cwd) : undefined;
  const table = paper?.tables.find((one) => one.name.toLowerCase() === `${paper.id}/${part}`.toLowerCase());
  if (table !== undefined) return table;
  const names = paper !== undefined && isFile(id) ? paper.tables.map((one) => one.name) : tableNames();
  const [, why] = Object.entries(paper?.absent ?? {}).find(([one]) => one.toLowerCase() === part) ?? [];
  if (why !== undefined) throw new UsageError(`reproduce ${name}: ${why}; tables: ${names.join(", ")}`);
  throw new UsageError(`reproduce: unknown published table "${name}"${choices(name, names, "published tables")}`);
}

/** Whether the argument names a paper, not one of its tables. */
export const isPaper = (name: string): boolean => isFile(name) || !name.includes("/");

const isFile = (name: string): boolean => /\.ya?ml$/i.test(name);

/** Lists every table and figure of a paper: made, partly made, or not and why. */
export function renderPaper({ id, title, tables, absent, contradictions }: Paper): string {
  const made = tables.map((table) => {
    const { name, partly, after } = table;
    const [first, ...more] = after;
    // Commands of one kind, as judge against each arm, are told by their last words.
    const kind = more.length === 0 ? first : `${first} (then ${more.map((line) => line.split(" ").at(-1)).join(", ")})`;
    const recipe = recipeOf({ ...table, after: kind === undefined ? [] : [kind] }).join(", then ");
    const how = partly === undefined ? recipe : `${recipe}; ${partly}`;
    return [partly === undefined ? "made" : "partly", name, `${table.title}\n        ${how}`] as const;
  });
  const lines = [...made, ...Object.entries(absent).map(([part, why]) => ["not", `${id}/${part}`, why] as const)];
  const wide = Math.max(...lines.map(([, name]) => name.length));
  return [
    `${id}: ${title}`,
    ...lines.map(([state, name, what]) => `${state.padEnd(6)}  ${name.padEnd(wide)}  ${what}`),
    ...(contradictions.length === 0 ? [] : ["contradictions:", ...contradictions.map((text) => `- ${text}`)]),
  ].join("\n");
}

/** Returns the commands that print a table. */
export const recipeOf = ({ name, make, after }: PaperTable): string[] => [
  `${make} --out RUN`,
  ...after,
  `reproduce ${name} --run RUN`,
];
