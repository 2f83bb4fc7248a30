/**
 * Which scores another tree, built, prints otherwise, and why: `npm run changed-scores -- OLD_TREE [PART...]`. Runs the demo, the demo
 * with --online and every config that both have: by the old code on the old demo data, by the old code on today's, by today's. One line
 * for each arm whose scores are not the same; `data`: the old code says otherwise on today's data; `code`: today's code says otherwise than the old.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { refuse } from "./commands/refuse.js";

interface Arm {
  readonly task: string;
  readonly method: string;
  readonly variant: string;
  readonly metrics: readonly { readonly name: string; readonly strict?: number }[];
}
/** Scores as they are printed, by arm. */
type Scores = ReadonlyMap<string, ReadonlyMap<string, string>>;

const [given, ...wanted] = process.argv.slice(2);
if (given === undefined) refuse("npm run changed-scores -- OLD_TREE [PART...]");
const [oldRoot, newRoot] = [resolve(given), fileURLToPath(new URL("..", import.meta.url))];
const work = mkdtempSync(join(tmpdir(), "lamp-eval-changed-"));
try {
  const parts = partsOf(oldRoot);
  let [arms, changed] = [0, 0];
  console.log("| run | task | method | was -> is | why |\n| --- | --- | --- | --- | --- |");
  const mixed = oldCodeOnNewData();
  for (const name of wanted.length === 0 ? [...parts.keys()] : wanted) {
    const args = parts.get(name) ?? refuse(`no such part: ${name}; parts: ${[...parts.keys()].join(", ")}`);
    const [was, between, is] = [oldRoot, mixed, newRoot].map((root) => scoresOf(root, args)) as [
      Scores,
      Scores,
      Scores,
    ];
    for (const [arm, scores] of was) {
      arms += 1;
      const [onData, today] = [between.get(arm), is.get(arm)];
      const why = [...(isSame(scores, onData) ? [] : ["data"]), ...(isSame(onData, today) ? [] : ["code"])];
      if (isSame(scores, today)) continue;
      changed += 1;
      const moves = [...scores].map(([metric, value]) => `${metric} ${value} -> ${today?.get(metric) ?? "gone"}`);
      console.log(`| ${name} | ${arm} | ${moves.join(", ")} | ${why.join(", ")} |`);
    }
  }
  console.log(`\n${changed} of ${arms} arms have other scores`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function partsOf(root: string): Map<string, readonly string[]> {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const demo = String(scripts.demo).split(" ").slice(2);
  const configs = readdirSync(join(root, "configs")).filter((name) => name.endsWith(".yaml"));
  return new Map([
    ["demo", demo],
    ["online", [...demo, "--online"]],
    ...configs.map((name): [string, string[]] => [
      basename(name, ".yaml"),
      ["run", "--demo", "--config", `configs/${name}`],
    ]),
  ]);
}

/** A copy of the old tree whose demo data are today's. */
function oldCodeOnNewData(): string {
  const root = join(work, "old-code");
  for (const name of ["dist", "bin", "configs", "package.json"])
    cpSync(join(oldRoot, name), join(root, name), { recursive: true });
  cpSync(join(newRoot, "datasets"), join(root, "datasets"), { recursive: true });
  symlinkSync(join(oldRoot, "node_modules"), join(root, "node_modules"));
  return root;
}

function scoresOf(root: string, args: readonly string[]): Scores {
  const out = join(work, "run");
  rmSync(out, { recursive: true, force: true });
  const { stderr } = spawnSync(process.execPath, [join(root, "bin/lamp-eval.js"), ...args, "--report", "--out", out], {
    cwd: root,
    encoding: "utf8",
  });
  const file = join(out, "results.json");
  if (!existsSync(file)) refuse(`${args.join(" ")} in ${root}: ${stderr.slice(-300)}`);
  const { results } = JSON.parse(readFileSync(file, "utf8")) as { readonly results: readonly Arm[] };
  return new Map(
    results.map(({ task, method, variant, metrics }) => [
      `${task} | ${method}${variant === "" ? "" : ` ${variant}`}`,
      new Map(
        metrics.map(({ name, strict }) => [name, strict === undefined ? "-" : strict.toFixed(3).replace(/^0/, "")]),
      ),
    ]),
  );
}

function isSame(a: ReadonlyMap<string, string> | undefined, b: typeof a): boolean {
  return a !== undefined && b !== undefined && [...a].every(([metric, value]) => b.get(metric) === value);
}
