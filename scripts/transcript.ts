import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * `npm run transcript`: packs this tree, installs it in an empty folder as a stranger would, and goes from a first config to `export`, with a
 * kill in between; then the one line of the README in a clone. Writes docs/FIRST-RUN.md: each command, its exit code, its seconds, and the end of what it printed. Needs npm's
 * registry for the dependencies.
 */
const MOST_LINES = 5;
const MOST_CHARS = 160;
const root = fileURLToPath(new URL("../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lamp-eval-transcript-"));

interface Step {
  readonly shown: string;
  readonly cwd: string;
  /** Killed without warning as soon as this file has so many lines. */
  readonly killAt?: { readonly file: string; readonly lines: number };
}

interface Done extends Step {
  readonly code: number | string;
  readonly seconds: number;
  readonly printed: string;
}

const run = "npx lamp-eval run --task lamp2m --method prompt,rag,persona-agent --out results/first";
const killed = "npx lamp-eval run --task lamp2m --method persona-agent --out results/killed";

try {
  const done = [await stepOf({ shown: `npm pack --pack-destination ${folder}`, cwd: root })];
  const [packed = ""] = readdirSync(folder);
  const steps: Step[] = [
    "npm init -y",
    `npm install ./${packed}`,
    `${run} --dry-run`,
    run,
    "npx lamp-eval report results/first --html",
    "npx lamp-eval compare results/first --method prompt --method-b rag",
    "npx lamp-eval gate results/first --write-baseline baseline.json",
    "npx lamp-eval gate results/first --baseline baseline.json",
  ].map((shown) => ({ shown, cwd: folder }));
  steps.push({ shown: killed, cwd: folder, killAt: { file: "results/killed/rows.jsonl", lines: 20 } });
  for (const shown of [
    killed,
    "npx lamp-eval verify results/killed",
    "npx lamp-eval export results/first --form csv --out rows.csv",
  ])
    steps.push({ shown, cwd: folder });
  const clone = join(folder, "clone");
  steps.push({ shown: `git clone --quiet ${root} clone`, cwd: folder });
  for (const shown of ["npm ci", "npm run demo"]) steps.push({ shown, cwd: clone });
  for (const step of steps) done.push(await stepOf(step));
  writeFileSync(join(root, "docs/FIRST-RUN.md"), pageOf(done));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function stepOf(step: Step): Promise<Done> {
  const begun = performance.now();
  const [command = "", ...args] = step.shown.split(" ");
  const child = spawn(command, args, { cwd: step.cwd, detached: step.killAt !== undefined });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (piece: Buffer) => (printed += piece.toString()));
  const watch = setInterval(() => {
    const { killAt } = step;
    if (killAt === undefined || child.pid === undefined) return;
    if (linesOf(join(step.cwd, killAt.file)) >= killAt.lines) process.kill(-child.pid, "SIGKILL");
  }, 20);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearInterval(watch);
      resolve({ ...step, code: code ?? signal ?? "", seconds: (performance.now() - begun) / 1000, printed });
    });
  });
}

function linesOf(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

function pageOf(done: readonly Done[]): string {
  const total = done.reduce((sum, { seconds }) => sum + seconds, 0);
  const blocks = done.map(({ shown, code, seconds, printed, killAt }) => {
    const how = killAt === undefined ? `exit code ${code}` : `${code} from outside, in the middle`;
    const end = printed
      .replaceAll(folder, "FOLDER")
      .replaceAll(root, "REPOSITORY/")
      .split("\n")
      .filter((line) => line.trim() !== "" && !line.startsWith("npm warn Unknown"));
    const shownEnd = end
      .slice(-MOST_LINES)
      .map((line) => (line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)} …` : line));
    return `\`${shown.replaceAll(folder, "FOLDER").replaceAll(root, "REPOSITORY")}\`\n\n${seconds.toFixed(1)} s, ${how}\n\n\`\`\`text\n${shownEnd.join("\n")}\n\`\`\`\n`;
  });
  return `# From an empty folder to a table

**Does the packed program install and run, and how long does each command take?** \`npm run transcript\` wrote this page; of what a command printed it shows the
last ${MOST_LINES} lines. In all ${total.toFixed(0)} s on ${cpus().length} cores, Node ${process.version}, other work beside it. What the lines mean: [TUTORIAL.md](TUTORIAL.md).

${blocks.join("\n")}`;
}
