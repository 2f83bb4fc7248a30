/**
 * TF-IDF search over a corpus of many users: build and query at scale, the answers checked against
 * brute force; then the same queries beside wink-bm25-text-search and minisearch on a smaller corpus. Exits with 1
 * when a target is missed. Last, what graph-rag retrieves for a question, end to end. `--documents N --queries N --checked N --beside N --asked N`
 * change the sizes.
 */
import { parseArgs } from "node:util";
import { type GlobalDocument, type GlobalIndex, globalIndex } from "../../src/retrievers/global-index.js";
import type { Hit } from "../../src/types.js";
import { bruteForce } from "./global-retrieval/brute-force.js";
import { corpus, queries } from "./global-retrieval/corpus.js";
import { engines } from "./global-retrieval/engines.js";
import { measureMethod } from "./global-retrieval/method.js";

const TOP = 10;
/** Queries put to every engine in the comparison: the slowest takes most of a second for one. */
const BESIDE_QUERIES = 20;
/** Times faster per query; the lead grows with the corpus, so they hold from so many documents on. */
const TARGETS_FROM = 50_000;
const FASTER = { wink: 100, minisearch: 200 };
/** Times slower than the bare index that a whole retrieval may be. */
const MOST_OVER_INDEX = 3;

export async function main(args: string[]): Promise<void> {
  const sizes = readSizes(args);
  console.log(`TF-IDF cosine, top ${TOP}; documents and queries of 20-60 words, Zipf 1.07 over 200,000 words`);
  const index = build(sizes.documents);
  const asked = queries(sizes.queries, sizes.documents);
  search(index, asked);
  line("peak RSS so far", `${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
  check(index, asked.slice(0, sizes.checked), sizes.documents);
  beside(sizes.beside);
  await method(sizes);
}

type Query = ReturnType<typeof queries>[number];

function readSizes(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      documents: { type: "string", default: "500000" },
      queries: { type: "string", default: "300" },
      checked: { type: "string", default: "20" },
      beside: { type: "string", default: "50000" },
      asked: { type: "string", default: "100" },
    },
  });
  const size = (name: keyof typeof values): number => {
    const number = Number(values[name]);
    if (!Number.isInteger(number) || number < 1) throw new RangeError(`--${name} ${values[name]}: give a number >= 1`);
    return number;
  };
  return {
    documents: size("documents"),
    queries: size("queries"),
    checked: size("checked"),
    beside: size("beside"),
    asked: size("asked"),
  };
}

function build(size: number): GlobalIndex {
  let makingMs = 0;
  function* documents(): Generator<GlobalDocument> {
    const source = corpus(size);
    for (;;) {
      const { value, ms } = timed(() => source.next());
      makingMs += ms;
      if (value.done === true) return;
      yield value.value;
    }
  }
  const { value: index, ms } = timed(() => globalIndex(documents()));
  line("documents", `${index.size}`);
  line(
    "build",
    `${((ms - makingMs) / 1000).toFixed(1)} s (making the texts, ${(makingMs / 1000).toFixed(1)} s, apart)`,
  );
  line("RSS after build", `${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`);
  return index;
}

function search(index: GlobalIndex, asked: readonly Query[]): void {
  for (const { owner, text } of asked.slice(0, 20)) index.top(text, TOP, { owner }); // warm-up
  const ms = asked.map(({ owner, text }) => timed(() => index.top(text, TOP, { owner })).ms);
  line(`query of ${ms.length}`, spread(ms));
}

/** What a question costs end to end: the method's retrieval with its visibility, reports and own side, beside the bare index. */
async function method(sizes: ReturnType<typeof readSizes>): Promise<void> {
  console.log(`graph-rag's retrieval per question, ${sizes.documents} events with dates and concepts, default knobs`);
  for (const found of await measureMethod(sizes.documents, sizes.asked)) {
    line(`${found.name}: build`, `${found.buildSeconds.toFixed(1)} s, ${found.communities} communities`);
    line("  open a user's view", spread(found.openMs));
    line("  the index alone, top 3", spread(found.indexMs));
    line("  the whole retrieval", spread(found.contextMs));
    const ratio = quantile(found.contextMs, 0.5) / quantile(found.indexMs, 0.5);
    verdict(
      sizes.documents < TARGETS_FROM || ratio <= MOST_OVER_INDEX,
      `${found.name}: ${ratio.toFixed(2)}x the time of the index alone (p50; target ${MOST_OVER_INDEX}x from ${TARGETS_FROM} documents)`,
    );
  }
}

function spread(ms: readonly number[]): string {
  const mean = ms.reduce((sum, one) => sum + one, 0) / ms.length;
  return `mean ${mean.toFixed(1)} ms, p50 ${quantile(ms, 0.5).toFixed(1)} ms, p99 ${quantile(ms, 0.99).toFixed(1)} ms`;
}

function quantile(ms: readonly number[], share: number): number {
  const sorted = ms.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

function check(index: GlobalIndex, asked: readonly Query[], size: number): void {
  const expected = bruteForce(() => corpus(size), asked, TOP);
  const answers = asked.map(({ owner, text }) => index.top(text, TOP, { owner }));
  const numbers = (hits: readonly Hit[]): string => hits.map((hit) => hit.index).join();
  const wrong = answers.filter((answer, i) => numbers(answer) !== numbers(expected[i]!)).length;
  const error = Math.max(...answers.flatMap((hits, i) => hits.map((hit, j) => difference(hit, expected[i]![j]))));
  verdict(
    wrong === 0,
    `${wrong} of ${asked.length} answers differ from brute force (scores by ${error.toExponential(0)})`,
  );
}

const difference = (hit: Hit, expected: Hit | undefined): number =>
  expected === undefined ? Number.POSITIVE_INFINITY : Math.abs(hit.score - expected.score);

function beside(size: number): void {
  const asked = queries(BESIDE_QUERIES, size);
  console.log(`beside others: ${size} documents, the same ${asked.length} queries`);
  const means = new Map<string, number>();
  for (const { name, index } of engines) {
    const built = timed(() => index(corpus(size)));
    for (const { text } of asked.slice(0, 3)) built.value(text, TOP); // warm-up
    const { ms } = timed(() => asked.map(({ text }) => built.value(text, TOP)));
    means.set(name, ms / asked.length);
    line(name, `build ${(built.ms / 1000).toFixed(1)} s, ${(ms / asked.length).toFixed(2)} ms per query`);
  }
  const own = means.get(engines[0]!.name)!;
  for (const [name, target] of Object.entries(FASTER)) {
    const ratio = means.get(name)! / own;
    verdict(
      size < TARGETS_FROM || ratio >= target,
      `${ratio.toFixed(0)}x faster per query than ${name} (target ${target}x from ${TARGETS_FROM} documents)`,
    );
  }
}

function timed<T>(work: () => T): { value: T; ms: number } {
  const start = performance.now();
  const value = work();
  return { value, ms: performance.now() - start };
}

const line = (what: string, measured: string): void => console.log(`  ${what.padEnd(28)}${measured}`);

function verdict(ok: boolean, text: string): void {
  console.log(`${ok ? "ok    " : "MISSED"} ${text}`);
  if (!ok) process.exitCode = 1;
}
