/** `npm run bench -- json [--mb 600]`: our array reader against stream-json on one generated LaMP file, each in its own process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readJsonArray } from "../../src/data/json-array.js";
import { seeded } from "../../src/random/seeded.js";

const SPEED_GOAL = 2; // times stream-json
const MEMORY_GOAL_MB = 200;

interface Measured {
  readonly seconds: number;
  readonly peakMb: number;
  readonly records: number;
  readonly items: number;
}

/** Prints both; the exit code is 1 where a goal is missed. */
export async function main(args: readonly string[]): Promise<void> {
  const [reader, file] = args[0] === "--child" ? args.slice(1) : [];
  if (reader !== undefined && file !== undefined) {
    process.stdout.write(JSON.stringify(await measure(reader, file)));
    return;
  }
  const flag = args.indexOf("--mb");
  const megabytes = flag < 0 ? 600 : Number(args[flag + 1]);
  const folder = await mkdtemp(join(tmpdir(), "lamp-bench-json-"));
  try {
    const path = join(folder, "dev_questions.json");
    await generate(path, megabytes * 1e6);
    const mb = (await stat(path)).size / 1e6;
    const ours = await inChild("ours", path);
    const theirs = await inChild("stream-json", path);
    if (!report(mb, ours, theirs)) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// --- internal ---

function report(mb: number, ours: Measured, theirs: Measured): boolean {
  const line = (name: string, { seconds, peakMb }: Measured): string =>
    `${name.padEnd(12)} ${(mb / seconds).toFixed(0).padStart(5)} MB/s  peak RSS ${peakMb.toFixed(0)} MB`;
  const ratio = theirs.seconds / ours.seconds;
  const same = ours.records === theirs.records && ours.items === theirs.items;
  const ok = ratio >= SPEED_GOAL && ours.peakMb <= MEMORY_GOAL_MB && same;
  process.stdout.write(
    `${[
      `json: ${mb.toFixed(0)} MB, ${ours.records} records, ${ours.items} items${same ? "" : " (readers disagree)"}`,
      line("lamp-eval", ours),
      line("stream-json", theirs),
      `speed ${ratio.toFixed(1)}x (goal >= ${SPEED_GOAL}x), peak ${ours.peakMb.toFixed(0)} MB (goal <= ${MEMORY_GOAL_MB} MB): ${ok ? "ok" : "MISSED"}`,
    ].join("\n")}\n`,
  );
  return ok;
}

/** A LaMP-3-like questions file as Python's json.dump writes it: spaces behind commas and colons, pure ASCII. */
async function generate(path: string, bytes: number): Promise<void> {
  const random = seeded("json bench");
  const words = Array.from({ length: 4000 }, () => Math.floor(random.next() * 36 ** 6).toString(36));
  const text = (count: number): string => Array.from({ length: count }, () => words[random.below(4000)]).join(" ");
  const reviews = Array.from({ length: 400 }, () => `${text(120)} \\"${text(4)}\\" caf\\u00e9\\n${text(90)}`);
  const out = createWriteStream(path);
  let written = 0;
  for (let question = 0; written < bytes; question++) {
    const items = Array.from(
      { length: 60 + random.below(90) },
      (_, i) =>
        `{"id": "1${question}${i}", "text": "${reviews[random.below(400)]}", "score": "${1 + random.below(5)}"}`,
    );
    const record = `${question === 0 ? "[" : ", "}{"id": "1${question}", "input": "review: ${text(80)}", "profile": [${items.join(", ")}]}`;
    written += record.length;
    if (!out.write(record)) await once(out, "drain");
  }
  out.end("]");
  await once(out, "finish");
}

async function inChild(reader: string, file: string): Promise<Measured> {
  const self = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [...process.execArgv, self, "--child", reader, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`the ${reader} process ended with ${String(code)}`);
  return JSON.parse(text) as Measured; // written by measure()
}

async function measure(reader: string, file: string): Promise<Measured> {
  const start = performance.now();
  let records = 0;
  let items = 0;
  const visit = (value: unknown): void => {
    records++;
    items += (value as { profile: unknown[] }).profile.length; // the generated form
  };
  await (reader === "ours" ? readJsonArray(file, (record) => visit(record.value)) : withStreamJson(file, visit));
  const seconds = (performance.now() - start) / 1000;
  return { seconds, records, items, peakMb: process.resourceUsage().maxRSS / 1024 };
}

async function withStreamJson(file: string, visit: (value: unknown) => void): Promise<void> {
  const { default: streamArray } = await import("stream-json/streamers/stream-array.js");
  const { createReadStream } = await import("node:fs");
  const pipeline = createReadStream(file).pipe(streamArray.withParserAsStream());
  for await (const { value } of pipeline) visit(value);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2));
