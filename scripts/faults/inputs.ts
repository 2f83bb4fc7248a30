import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, gunzipSync, gzipSync } from "node:zlib";
import { parse } from "yaml";
import { seeded } from "../../src/random/seeded.js";
import type { Json, Random } from "../../src/types/index.js";
import { reviewUser, writeReviews } from "../../test/helpers/review-data.js";
import { runCommandLine } from "../../test/helpers/test-io.js";
import { mutated } from "./replies/mutate.js";

const INTERNAL = 70;
const SLOWEST_MS = 20_000;

/** A file that a person or another program writes, and the commands that read it. */
interface Input {
  readonly file: string;
  readonly form: "tree" | "lines" | "log" | "pack";
  readonly commands: readonly string[];
}

const OWN = "--task own/own.yaml --data own/rows.jsonl --method rag";
const RUN = "run --task lamp3 --method rag,prompt --data data --out run";
const inputs: readonly Input[] = [
  { file: "config.yaml", form: "tree", commands: ["run --config config.yaml --dry-run"] },
  { file: "own/own.yaml", form: "tree", commands: [`run ${OWN} --dry-run`] },
  {
    file: "own/rows.jsonl",
    form: "lines",
    commands: [`run ${OWN} --out own-run`, `data audit ${OWN.replace(/ --method.*/, "")}`],
  },
  { file: "data/users.json", form: "tree", commands: [`${RUN.replace("out run", "out data-run")}`] },
  { file: "prices.yaml", form: "tree", commands: [`${RUN} --dry-run --prices prices.yaml`] },
  { file: "baseline.json", form: "tree", commands: ["gate run --baseline baseline.json"] },
  { file: "run/rows.jsonl", form: "lines", commands: ["report run --wide", "compare run --methods rag,prompt", RUN] },
  { file: "run/traces.jsonl", form: "lines", commands: ["show run", "report run --wide", RUN] },
  { file: "run/log.jsonl", form: "log", commands: ["report run", "verify run --data data", RUN] },
  {
    file: "run.pack",
    form: "pack",
    commands: ["verify run.pack --data data", `${RUN.replace("out run", "out again")} --replay run.pack`],
  },
];

/** `npm run faults -- inputs [SECONDS] [SEED]`: spoilt files of every kind; exit code 1 where a command ends with 70, throws or hangs. */
export async function main([seconds = "60", seed = "inputs"]: readonly string[]): Promise<void> {
  const whole = mkdtempSync(join(tmpdir(), "lamp-eval-inputs-"));
  const cwd = `${whole}-case`;
  const end = Date.now() + Number(seconds) * 1000;
  const offences = new Map<string, string>();
  let cases = 0;
  try {
    await prepare(whole);
    for (; Date.now() < end; cases++) {
      const input = inputs[cases % inputs.length]!;
      rmSync(cwd, { recursive: true, force: true });
      cpSync(whole, cwd, { recursive: true });
      const path = join(cwd, input.file);
      writeFileSync(path, spoilt(readFileSync(path), input.form, seeded(`${seed} ${cases}`)));
      for (const command of input.commands) {
        const found = await offenceOf(command, cwd);
        if (found !== undefined) offences.set(`${input.file}: ${command}: ${found}`, `${seed} ${cases}`);
      }
    }
  } finally {
    for (const folder of [whole, cwd]) rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${cases} spoilt files, ${offences.size} offences`);
  for (const [what, which] of offences) console.log(`  ${which}: ${what}`);
  if (offences.size > 0) process.exitCode = 1;
}

async function prepare(cwd: string): Promise<void> {
  writeReviews(
    join(cwd, "data"),
    Array.from({ length: 3 }, (_, i) => reviewUser(`u${i}`)),
  );
  const config = {
    task: "lamp3",
    data: "data",
    method: ["rag"],
    options: { rag: { k: 2 } },
    model: "embedded/lexical-2",
  };
  const prices = [{ model: "embedded/lexical-2", in: 1, out: 2 }];
  writeFileSync(join(cwd, "prices.yaml"), JSON.stringify(prices));
  writeFileSync(join(cwd, "config.yaml"), JSON.stringify({ ...config, extends: "personaagent", prices }));
  for (const line of [
    "data example own",
    RUN,
    "export run --form pack --out run.pack",
    "gate run --write-baseline baseline.json",
  ]) {
    const { code, stderr } = await runCommandLine(line, { cwd });
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
  }
}

/** Returns how a command broke its promise; undefined where it did not. */
async function offenceOf(command: string, cwd: string): Promise<string | undefined> {
  const start = Date.now();
  try {
    const { code, stderr } = await runCommandLine(command, { cwd });
    if (code === INTERNAL) return stderr.slice(-400);
  } catch (error) {
    return `thrown: ${error instanceof Error ? error.stack : String(error)}`;
  }
  return Date.now() - start > SLOWEST_MS ? `took ${Date.now() - start} ms` : undefined;
}

function spoilt(bytes: Buffer, form: Input["form"], random: Random): Buffer {
  if (form === "tree") return mutated(parse(bytes.toString("utf8")) as Json, random).body;
  const lines = (form === "pack" ? gunzipSync(bytes) : bytes).toString("utf8").trimEnd().split("\n");
  const at = random.below(lines.length);
  const { "#": _, ...tree } = JSON.parse(lines[at]!) as Record<string, Json>;
  const text = mutated(tree, random).body.toString("utf8").replaceAll("\n", " ");
  lines[at] = form === "lines" || !text.endsWith("}") ? text : signed(text.slice(0, -1));
  const made = Buffer.from(`${lines.join("\n")}\n`);
  return form === "pack" ? gzipSync(made) : made;
}

/** A line of a log with a checksum that fits: only its content is wrong. */
const signed = (body: string): string => `${body},"#":"${crc32(body).toString(16)}"}`;
