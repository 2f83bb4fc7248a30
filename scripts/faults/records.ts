import { seeded } from "../../src/random/seeded.js";
import { openDamageBench, spoilt } from "./damage/bench.js";

/**
 * `npm run faults -- records [PART] [SEED]`: in every line of every file of finished runs one bit is flipped, and the line ends of
 * every file are changed to CRLF and to CR, and a folder is put in its place; then report, compare, gate, export, verify and the same command. PART: only files
 * whose name holds it. Exit code 1 where one gives a trace, or other output without a word.
 */
export async function main([part = "", seed = "records"]: readonly string[]): Promise<void> {
  const [run] = part.split("/");
  const bench = await openDamageBench((name) => !part.includes("/") || name === run);
  let [cases, offended] = [0, 0];
  const tried = async (name: string, offence: Promise<string | undefined>): Promise<void> => {
    cases += 1;
    const said = await offence;
    if (said === undefined) return;
    offended += 1;
    console.log(`${name}: ${said}`);
  };
  try {
    for (const run of bench.runs)
      for (const file of oneOfEachKind(run.files).filter((name) => `${run.name}/${name}`.includes(part))) {
        const random = seeded(`${seed}/${run.name}/${file}`);
        const before = cases;
        for (const [kind, end] of [
          ["CRLF", "\r\n"],
          ["CR", "\r"],
        ] as const)
          if (isText(file)) await tried(`${run.name}/${file}, ${kind}`, spoilt(bench, run, file, withEnds(end)));
        await tried(
          `${run.name}/${file}, a folder`,
          spoilt(bench, run, file, () => "a folder"),
        );
        const most = /^(figures|report\.html)/.test(file) ? MOST_DRAWN : Number.POSITIVE_INFINITY;
        let line = 0;
        let lines = 1;
        for (; line < lines && line < most; line++) {
          const flip = (bytes: Buffer): Buffer => {
            const starts = startsOf(bytes, isText(file));
            lines = starts.length;
            return flipped(bytes, starts, line, random);
          };
          await tried(`${run.name}/${file}, line ${line + 1}`, spoilt(bench, run, file, flip));
        }
        console.log(`${run.name}/${file}: ${lines} lines, ${cases - before} cases`);
      }
  } finally {
    await bench.close();
  }
  console.log(`${cases} cases, ${offended} offences`);
  if (offended > 0) process.exitCode = 1;
}

/** Lines of a page or a picture that are tried: all its lines are of one kind. */
const MOST_DRAWN = 5;
const NEWLINE = 0x0a;

/** Of the pictures only the first with each ending: their bytes are of one kind, and `verify` reads them all in one way. */
function oneOfEachKind(files: readonly string[]): string[] {
  const seen = new Set<string>();
  return files.filter((file) => {
    if (!file.startsWith("figures/")) return true;
    const ending = file.slice(file.indexOf(".", file.lastIndexOf("/")));
    const kind = /\.vl\.json$/.test(ending) ? ".vl.json" : ending.slice(ending.lastIndexOf("."));
    return !seen.has(kind) && seen.add(kind);
  });
}

const isText = (file: string): boolean => !/\.(png|pdf|gz)$/.test(file);
const withEnds =
  (end: string) =>
  (bytes: Buffer): Buffer =>
    Buffer.from(bytes.toString("latin1").replaceAll("\n", end), "latin1");

/** Where lines begin that are not empty. */
function startsOf(bytes: Buffer, text: boolean): number[] {
  if (!text) return [0];
  const starts: number[] = [];
  for (let at = 0; at !== 0 || starts.length === 0; at = bytes.indexOf(NEWLINE, at) + 1) {
    if (at < bytes.length && bytes[at] !== NEWLINE) starts.push(at);
    if (bytes.indexOf(NEWLINE, at) === -1) break;
  }
  return starts.length === 0 ? [0] : starts;
}

function flipped(bytes: Buffer, starts: readonly number[], line: number, random: { below(n: number): number }): Buffer {
  const changed = Buffer.from(bytes);
  const from = starts[line] ?? 0;
  const end = bytes.indexOf(NEWLINE, from);
  const at = from + random.below(Math.max(1, (end === -1 ? bytes.length : end) - from));
  changed[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  return changed;
}
