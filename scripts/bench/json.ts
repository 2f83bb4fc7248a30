/**
 * `npm run bench -- json [--mb 1000] [--rounds 1]`: `lamp-eval data prepare`, as a person types it, on one generated LaMP-3 file,
 * beside stream-json that only reads that file, and our own array reader; each in a process of its own, one behind the other, in so
 * many alternating rounds, whose medians are told and judged; memory by its highest. stream-json runs in the two forms that its
 * pages advise, a stream and `parseFile`, both without tokens for parts of values, which nobody here reads; the faster one of a
 * round counts. What is written is forced to the disk and goes to the folder of temporary files. Exits with 1 where a goal is missed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, writeFileSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readJsonArray } from "../../src/data/json-array.js";
import { seeded } from "../../src/random/seeded.js";

const PREPARE_GOAL = 2; // times stream-json
const READER_GOAL_MB = 200;
const PREPARE_GOAL_MB = 400;

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
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
  const numberOf = (flag: string, otherwise: number): number =>
    args.includes(flag) ? Number(args[args.indexOf(flag) + 1]) : otherwise;
  const [megabytes, count] = [numberOf("--mb", 1000), numberOf("--rounds", 1)];
  const folder = await mkdtemp(join(tmpdir(), "lamp-bench-json-"));
  try {
    const path = join(folder, "dev_questions.json");
    await generate(path, megabytes * 1e6);
    const mb = (await stat(path)).size / 1e6;
    const rounds: Round[] = [];
    for (let number = 1; number <= count; number++) {
      const stream = await inChild("stream", path);
      const prepared = await prepare(folder);
      const parseFile = await inChild("parseFile", path);
      const ours = await inChild("ours", path);
      rounds.push({ stream, parseFile, prepared, ours });
      if (count > 1) console.log(`round ${number}: data prepare ${ratioOf(rounds.at(-1)!, "prepared").toFixed(2)}x`);
    }
    if (!report(mb, rounds)) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Round = Readonly<Record<"ours" | "stream" | "parseFile" | "prepared", Measured>>;

/** How many times as fast as the faster form of stream-json. */
const ratioOf = ({ stream, parseFile, ...round }: Round, which: "ours" | "prepared"): number =>
  Math.min(stream.seconds, parseFile.seconds) / round[which].seconds;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

function report(mb: number, rounds: readonly Round[]): boolean {
  const line = (name: string, which: keyof Round): string => {
    const of = (part: "seconds" | "cpuSeconds"): number => median(rounds.map((round) => round[which][part]));
    const peak = Math.max(...rounds.map((round) => round[which].peakMb));
    return `${name.padEnd(24)} ${of("seconds").toFixed(2).padStart(6)} s ${(mb / of("seconds")).toFixed(0).padStart(5)} MB/s  CPU ${of("cpuSeconds").toFixed(2)} s  peak RSS ${peak.toFixed(0)} MB`;
  };
  const { records, items } = rounds[0]!.stream; // one round at least
  const same = rounds.every((round) =>
    Object.values(round).every((found) => found.records === records && found.items === items),
  );
  const judged = (name: string, which: "ours" | "prepared", goalMb: number, goal?: number): [string, boolean] => {
    const ratio = median(rounds.map((round) => ratioOf(round, which)));
    const peakMb = Math.max(...rounds.map((round) => round[which].peakMb));
    const ok = ratio >= (goal ?? 0) && peakMb <= goalMb && same;
    const speed = `${ratio.toFixed(2)}x${goal === undefined ? "" : ` (goal >= ${goal}x)`}`;
    return [`${ok ? "ok    " : "MISSED"} ${name}: ${speed}, peak ${peakMb.toFixed(0)} MB (goal <= ${goalMb} MB)`, ok];
  };
  const verdicts = [
    judged("prepare", "prepared", PREPARE_GOAL_MB, PREPARE_GOAL),
    judged("reader, one thread", "ours", READER_GOAL_MB),
  ];
  const head = `${mb.toFixed(0)} MB, ${records} records, ${items} items${same ? "" : " (NOT THE SAME IN ALL)"}; medians of ${rounds.length}`;
  const lines = [
    line("stream-json, as a stream", "stream"),
    line("stream-json, parseFile", "parseFile"),
    line("data prepare", "prepared"),
    line("our reader", "ours"),
  ];
  console.log([head, ...lines, ...verdicts.map(([text]) => text)].join("\n"));
  return verdicts.every(([, ok]) => ok);
}

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Loaded into the command's process: tells at its end what it took. */
const TELLING = `data:text/javascript,process.on("exit",()=>{const u=process.resourceUsage();process.stderr.write("TOOK "+JSON.stringify({peakMb:u.maxRSS/1024,cpuSeconds:(u.userCPUTime+u.systemCPUTime)/1e6})+"\\n")})`;

/** The command as a person types it, start and end of the process included. */
async function prepare(folder: string): Promise<Measured> {
  const out = join(folder, "prepared");
  const command = ["data", "prepare", "--task", "lamp3", "--from", folder, "--out", out];
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", TELLING, join(root, "bin/lamp-eval.js"), ...command], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code] = await once(child, "close");
  const seconds = (performance.now() - start) / 1000;
  const took = /^TOOK (.*)$/m.exec(text)?.[1];
  if (code !== 0 || took === undefined) throw new Error(`data prepare ended with ${String(code)}: ${text}`);
  const counts = { records: 0, items: 0 };
  for (const name of ["users.json", "user_others.json"])
    await readJsonArray(join(out, name), ({ value }) => {
      counts.records++;
      counts.items += (value as { profile: unknown[] }).profile.length; // the form that prepare writes
    });
  await rm(out, { recursive: true });
  return { seconds, ...counts, ...(JSON.parse(took) as Pick<Measured, "peakMb" | "cpuSeconds">) };
}

const ASKED = "What is the score of the following review on a scale of 1 to 5?";

/** A LaMP-3-like questions file as Python's json.dump writes it: spaces behind commas and colons, pure ASCII. */
async function generate(path: string, bytes: number): Promise<void> {
  const random = seeded("json bench");
  const words = Array.from({ length: 4000 }, () => Math.floor(random.next() * 36 ** 6).toString(36));
  const text = (count: number): string => Array.from({ length: count }, () => words[random.below(4000)]).join(" ");
  const reviews = Array.from({ length: 400 }, () => `${text(120)} \\"${text(4)}\\" caf\\u00e9\\n${text(90)}`);
  const out = createWriteStream(path);
  const golds: { id: string; output: string }[] = [];
  let written = 0;
  for (let question = 0; written < bytes; question++) {
    const items = Array.from({ length: 60 + random.below(90) }, (_, i) => {
      const date = `20${10 + random.below(9)}-0${1 + random.below(9)}-1${random.below(9)}`;
      return `{"id": "1${question}${i}", "text": "${reviews[random.below(400)]}", "score": "${1 + random.below(5)}", "date": "${date}"}`;
    });
    const record = `${question === 0 ? "[" : ", "}{"id": "1${question}", "input": "${ASKED} review: ${text(80)}", "profile": [${items.join(", ")}]}`;
    golds.push({ id: `1${question}`, output: "3" });
    written += record.length;
    if (!out.write(record)) await once(out, "drain");
  }
  out.end("]");
  await once(out, "finish");
  writeFileSync(path.replace("questions", "outputs"), JSON.stringify({ task: "LaMP_3", golds }));
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
  if (reader === "ours") await readJsonArray(file, (record) => visit(record.value));
  else await (reader === "stream" ? asStream : withParseFile)(file, visit);
  const seconds = (performance.now() - start) / 1000;
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  return { seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, records, items, peakMb: maxRSS / 1024 };
}

const WHOLE_VALUES = { packValues: true, streamValues: false };

async function asStream(file: string, visit: (value: unknown) => void): Promise<void> {
  const { default: streamArray } = await import("stream-json/streamers/stream-array.js");
  const { createReadStream } = await import("node:fs");
  const pipeline = createReadStream(file).pipe(streamArray.withParserAsStream(WHOLE_VALUES));
  for await (const { value } of pipeline) visit(value);
}

async function withParseFile(file: string, visit: (value: unknown) => void): Promise<void> {
  const { parseFile } = await import("stream-json/file/parser.js");
  const { streamArray } = await import("stream-json/streamers/stream-array.js");
  const { pipe } = await import("stream-chain/utils/pipe.js");
  const { drain } = await import("stream-chain/utils/drain.js");
  await drain(pipe(parseFile(WHOLE_VALUES), streamArray(), ({ value }: { value: unknown }) => visit(value))(file));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2));
