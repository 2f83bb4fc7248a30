/**
 * Whether this tree and another one, built, come to the same numbers: `npm run same-numbers -- OLD_TREE [PART...]`. Both run the
 * demo, an --online run, a cassette with its replay, a gate against its own baseline, and every config of the papers; all files that
 * they leave are compared byte by byte, but for what `leftOut` names. Exit code 1 where anything differs.
 */
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { refuse } from "./commands/refuse.js";
import { leftOut, normalForm } from "./same-numbers/normal-form.js";

interface Tree {
  readonly root: string;
  readonly version: string;
  /** Where its results go. */
  readonly folder: string;
}

/** A command line and the file its printed text goes to. */
type Line = readonly [file: string, ...args: string[]];

const [oldRoot, ...wanted] = process.argv.slice(2);
if (oldRoot === undefined) refuse("npm run same-numbers -- OLD_TREE [PART...]");
const work = mkdtempSync(join(tmpdir(), "lamp-eval-same-"));
const trees = [treeAt(resolve(oldRoot), "old"), treeAt(fileURLToPath(new URL("..", import.meta.url)), "new")] as const;
const [older] = trees;

const demo = demoArguments(older.root);
const configs = readdirSync(join(older.root, "configs")).filter((name) => name.endsWith(".yaml"));
const parts: Readonly<Record<string, () => readonly Line[]>> = {
  demo: () => [
    ["demo", ...demo, "--report", "--out", "demo"],
    ["cassette", "cassette", "export", "demo", "--out", "cassette"],
    ["replay", ...demo, "--replay", "cassette", "--out", "replay"],
    ["baseline", "gate", "demo", "--write-baseline", "baseline.json"],
    ["gate", "gate", "demo", "--baseline", "baseline.json", "--junit", "gate.xml", "--summary", "gate.md"],
    ["report", "report", "demo", "--per-user", "--intervals"],
    ["compare", "compare", "demo", "demo", "--task", "lamp2m", "--method", "prompt,rag"],
  ],
  online: () => [["online", ...demo, "--online", "--report", "--out", "online"]],
  ...Object.fromEntries(
    configs.map((name) => [
      basename(name, ".yaml"),
      (): readonly Line[] => {
        const out = `paper/${basename(name, ".yaml")}`;
        return [[out, "run", "--demo", "--report", "--config", `configs/${name}`, "--out", out]];
      },
    ]),
  ),
};
const unknown = wanted.filter((name) => parts[name] === undefined);
if (unknown.length > 0) refuse(`no such part: ${unknown.join(", ")}; parts: ${Object.keys(parts).join(", ")}`);

try {
  const differing: string[] = [];
  let compared = 0;
  for (const name of wanted.length === 0 ? Object.keys(parts) : wanted) {
    await Promise.all(trees.map((tree) => runPart(tree, parts[name]!())));
    const [before, after] = trees.map(({ folder }) => filesUnder(folder));
    const files = [...new Set([...before!, ...after!])].sort();
    const changed = files.flatMap((file) => differenceOf(file));
    compared += files.length;
    differing.push(...changed);
    console.log(
      `${changed.length === 0 ? "same   " : "DIFFERS"}  ${name}: ${files.length} files${changed.map((line) => `\n  ${line}`).join("")}`,
    );
    for (const { folder } of trees) rmSync(folder, { recursive: true, force: true });
  }
  console.log(
    `\n${compared - differing.length} of ${compared} files are the same. Left out:\n${leftOut.map((line) => `- ${line}`).join("\n")}`,
  );
  process.exitCode = differing.length === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function treeAt(root: string, name: string): Tree {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return { root, version, folder: join(work, name) };
}

/** What `npm run demo` of a tree is. */
function demoArguments(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return String(scripts.demo).split(" ").slice(2);
}

async function runPart(tree: Tree, lines: readonly Line[]): Promise<void> {
  mkdirSync(tree.folder, { recursive: true });
  symlinkSync(join(tree.root, "configs"), join(tree.folder, "configs")); // so that both type the same
  for (const [file, ...args] of lines) {
    const place = join(tree.folder, "printed", file);
    mkdirSync(place, { recursive: true });
    const { code, text } = await runCommand(tree, args);
    writeFileSync(join(place, "stdout.txt"), `${text}\nexit code ${code}\n`);
  }
}

function runCommand({ root, folder }: Tree, args: readonly string[]): Promise<{ code: number | null; text: string }> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [join(root, "bin/lamp-eval.js"), ...args], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => void chunks.push(chunk));
    child.on("error", fail);
    child.on("close", (code) => done({ code, text: Buffer.concat(chunks).toString("utf8") }));
  });
}

/** Every file below a folder by its path, built indexes and the configs that were run apart: they are no result. */
function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.split(sep).join("/"))
    .filter(
      (name) => !name.includes(".artifacts/") && !name.startsWith("configs/") && statSync(join(folder, name)).isFile(),
    );
}

/** One line in words where a file is not the same in both trees, else nothing. */
function differenceOf(file: string): string[] {
  const [before, after] = trees.map(({ folder, version }) => textOf(join(folder, file), file, version));
  if (before === after) return [];
  if (before === undefined || after === undefined)
    return [`${file}: only in the ${before === undefined ? "new" : "old"} tree`];
  let at = 0;
  while (before[at] === after[at]) at += 1;
  const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60));
  return [`${relative(".", file)}: at ${at}: ${around(before)} became ${around(after)}`];
}

function textOf(path: string, name: string, version: string): string | undefined {
  try {
    return normalForm(name, readFileSync(path), version);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
