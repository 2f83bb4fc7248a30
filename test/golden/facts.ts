import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { report } from "../../src/index.js";
import { bestBaseline } from "../../src/report/tables/results.js";
import { tasks } from "../../src/tasks/index.js";
import { runHere } from "../e2e/in-process.js";

/** What a part came to: by arm (or file, or command), by field. */
export type Facts = Record<string, Record<string, unknown>>;

// biome-ignore lint/suspicious/noExplicitAny: printed JSON is read freely
export type Printed = any;

/** A command's JSON on stdout; its exit code, and how many calls it says that it sent. */
export async function printed(cwd: string, line: readonly string[]): Promise<Printed> {
  const { code, stdout, stderr } = await runHere(line, { cwd });
  if (code !== 0) throw new Error(`lamp-eval ${line.join(" ")}: exit ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Runs a command line to its end, at worst without one readable answer: the calls that it says it sent and did not send again. */
export async function ended(cwd: string, line: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stderr } = await runHere(line, { cwd });
  const [, sent, stored] = /(\d+) calls? sent, (\d+) repl(?:y|ies) reused/.exec(stderr) ?? [];
  const isEnded = code === 0 || /no answer can be read/.test(stderr);
  if (!isEnded || sent === undefined) throw new Error(`lamp-eval ${line.join(" ")}: exit ${code}: ${stderr}`);
  return { exit: code, sent: Number(sent), fromStore: Number(stored) };
}

/** Every arm of a run: from `report --format json` its scores, from `export --form csv` its answers, from `show --json` its requests. */
export async function factsOfRun(cwd: string, run: string): Promise<Facts> {
  const { results } = await report({ runs: [run] }, { cwd });
  const { tables } = await printed(cwd, ["report", run, "--format", "json"]);
  await runHere(["export", run, "--form", "csv", "--out", `${run}.csv`], { cwd });
  const rows = groupedBy(recordsOf(readFileSync(`${cwd}/${run}.csv`, "utf8")), ({ arm: armId }) => armId!);
  const shown = groupedBy<Printed>(
    (await printed(cwd, ["show", run, "--preparation", "--json"])).transcripts,
    ({ trace }) => trace.arm,
  );
  const facts: Facts = {};
  for (const { name, rows: lines } of tables as { name: string; rows: Printed[] }[]) {
    const task = name.split("-")[0] ?? "";
    const baselines = lines.flatMap(({ arm, n, ...values }) =>
      arm?.startsWith("(") ? [{ name: arm, count: n, values }] : [],
    );
    const best = bestBaseline(baselines, tasks.find(task)?.metrics ?? []);
    const known = Object.entries(best?.values ?? {}).filter(([, value]) => typeof value === "number");
    if (best !== undefined) facts[`${task} ${best.name}`] = { count: best.count, ...Object.fromEntries(known) };
  }
  for (const arm of results) {
    const name = [arm.task, arm.method, arm.variant === "" ? "" : `(${arm.variant})`].filter(Boolean).join(" ");
    const own = arm.arms.flatMap((armId: string) => rows.get(armId) ?? []);
    const transcripts = arm.arms.map((armId: string) => shown.get(armId) ?? []);
    const sum = (column: string) => own.reduce((total: number, row: Printed) => total + Number(row[column]), 0);
    facts[withoutHash(name)] = {
      users: arm.users,
      counts: arm.counts,
      answers: digest(
        own.map((row: Printed) => [row.seed, row.repeat, row.question, row.outcome, row.gold, row.reply, row.lenient]),
      ),
      ...Object.fromEntries(
        arm.metrics.map(({ name: metric, strict, lenient, interval, spread }: Printed) => [
          metric,
          { score: strict, lenient, interval: interval && [interval.low, interval.high], spread },
        ]),
      ),
      ...requestsOf(transcripts),
      questions: { calls: sum("calls"), in: sum("tokens.in"), out: sum("tokens.out") },
      aUser: { calls: arm.callsPerUser, tokens: arm.tokensPerUser },
      shared: arm.shared,
      stream: arm.stream,
      incidents: arm.incidents,
    };
  }
  return facts;
}

/**
 * Of an arm's transcripts, by repeat: the keys of all its requests (each the hash of the whole request, by which replies are
 * stored), and the replies. A transcript shows the first letters of a key.
 */
function requestsOf(repeats: readonly Printed[][]): Record<string, unknown> {
  const each = (of: (transcript: Printed) => unknown[]): unknown[] =>
    repeats.flatMap((transcripts, repeat) =>
      transcripts.flatMap((one) => of(one).map((item) => [repeat, one.trace.unit, one.trace.question, item])),
    );
  return {
    keys: digest(each(({ trace }) => trace.requests)),
    replies: digest(
      each(({ calls }) => calls.map(({ reply }: Printed) => reply && [reply.text, reply.toolCalls, reply.usage])),
    ),
  };
}

/** How many there are, and a hash of all in an order of their own. */
export function digest(items: readonly unknown[]): string {
  const lines = items.map((item) => JSON.stringify(tidy(item))).sort();
  return `${lines.length} ${createHash("sha256").update(lines.join("\n")).digest("hex").slice(0, 16)}`;
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** A variant names a file with the hash of its content. */
const withoutHash = (name: string): string => name.replaceAll(/@[0-9a-f]{12}\b/g, "");

/** The same JSON on every machine: numbers to 12 digits, members that are undefined left out. */
function tidy(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? Number(value.toPrecision(12)) : String(value);
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, tidy(member)]),
  );
}

/** The rows of a printed table that has these columns, by their heads; blanks of two or more stand between columns. */
export function tableRows(text: string, columns: readonly string[]): Record<string, string>[] {
  const rows: Record<string, string>[] = [];
  let heads: { readonly name: string; readonly from: number; readonly to: number }[] = [];
  const lines = text.split("\n");
  lines.forEach((line, at) => {
    const rule = lines[at + 1] ?? "";
    if (/^-+( {2}-+)+$/.test(rule))
      heads = [...rule.matchAll(/-+/g)].map(({ 0: dashes, index }) => ({
        ...{ from: index, to: index + dashes.length },
        name: line.slice(index, index + dashes.length).trim(),
      }));
    else if (line.trim() === "" || !/ {2}/.test(line)) heads = [];
    else if (!/^-+( {2}-+)+$/.test(line) && columns.every((name) => heads.some((head) => head.name === name)))
      rows.push(Object.fromEntries(heads.map(({ name, from, to }) => [name, line.slice(from, to).trim()])));
  });
  return rows;
}

/** Records of a CSV file with a head, by column. */
function recordsOf(csv: string): Record<string, string>[] {
  const records: string[][] = [[]];
  for (const [, quoted, plain = "", end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    records.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ",") records.push([]);
  }
  const [head = [], ...rest] = records;
  return rest
    .filter((record) => record.length === head.length)
    .map((record) => Object.fromEntries(head.map((name, c) => [name, record[c]!])));
}

/** Facts as a golden file holds them: an arm a line, below it its fields. */
function goldenText(facts: Facts): string {
  return Object.entries(facts)
    .map(([arm, fields]) => `${arm}\n${[...fieldsOf(fields)].map(([name, value]) => `  ${name}: ${value}\n`).join("")}`)
    .join("");
}

/** One line for each value that is not as the file has it: `demo: lamp2m rag: accuracy.interval.0: was 0.5, is 0.6`. */
export function differences(part: string, recorded: string, facts: Facts): string[] {
  const [was, is] = [byField(recorded), byField(goldenText(facts))];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((field) =>
    valueDifferences(was.get(field), is.get(field)).map((line) => `${part}: ${field}${line}`),
  );
}

function valueDifferences(was: unknown, is: unknown, path = ""): string[] {
  if (JSON.stringify(was) === JSON.stringify(is)) return [];
  if (!isTree(was) || !isTree(is)) return [`${path}: was ${told(was)}, is ${told(is)}`];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const found = names.flatMap((name) => valueDifferences(was[name], is[name], `${path}.${name}`));
  return found.length > 0 ? found : [`${path}: the order of the members`];
}

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const told = (value: unknown): string => (value === undefined ? "not there" : JSON.stringify(value));

function byField(text: string): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  let arm = "";
  for (const line of text.split("\n"))
    if (!line.startsWith("  ")) arm = line;
    else {
      const at = line.indexOf(": "); // no field's name has a colon
      fields.set(`${arm}: ${line.slice(2, at)}`, JSON.parse(line.slice(at + 2)));
    }
  return fields;
}

function* fieldsOf(fields: Record<string, unknown>): Iterable<readonly [string, string]> {
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) yield [name, JSON.stringify(tidy(value))];
}

/** The file of a part as it is recorded; empty where there is none. */
export const readGolden = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

export function writeGolden(file: string, facts: Facts): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, goldenText(facts));
}
