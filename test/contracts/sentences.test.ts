import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inferentialSentences, sentencesIn } from "../helpers/sentences.js";

const page = readFileSync(new URL("../../docs/STATISTICS.md", import.meta.url), "utf8");
const [, table = "", bareTable = ""] = page.split(/^## Every sentence$|^### Brackets and single words$/m);
const rowsOf = (part: string): string[][] =>
  [...part.matchAll(/^\| (`.+) \|$/gm)].map(([, row = ""]) =>
    row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
const codes = (cell = ""): string[] => [...cell.matchAll(/`(.*?)`/g)].map(([, code = ""]) => code);

/** Texts of the same looks that count or point, and say nothing of what was not seen. */
const COUNTED = new Set([
  "shown", // of utilities and of leaks: by a chart, by a run; the page's own `shown` is known by its file
  "shown to",
  "… of … personas are shown.",
  "what is shown of the past is shown of what was learned, too",
  "no verdicts are shown: …",
  "The address tells what is shown: copy it to share a filter or an answer.",
  "Each pair is shown in both orders; a verdict that turns with the order counts as no preference. Net: (wins - losses) / judged pairs.",
  "Entropy of the answer without the past minus entropy with the candidate, nats; the first … measured. Shown: what entered the prompt.……",
  "the memory holds the facts that the judge is shown before the first turn, the baselines are told none; buffer and judge see the user's lines alone: the gap mixes three effects (--preset paper-004-fair takes them out)",
  "…  …/…  …  …  […]", // concepts of a graph
  "not in the baseline, not judged: …",
  "--per-user and --intervals have text, markdown and json (results.csv has every interval, the page all)",
  "…: intervals resampled as version 0.1.0 did; lamp-eval report --figures draws them again",
  "but for the intervals, which version 0.1.0 resampled: lamp-eval report writes today's",
  "…: its intervals are resampled, as version 0.1.0 did; its scores agree; …",
]);
/** Brackets that hold no interval, and `shown` that is said of a chart, a leak. */
const COUNTED_IN = new Set([
  "report/page/pack-transcripts.ts",
  "report/replay/request-diff.ts",
  "report/transcripts/transcript.ts",
  "report/charts/utilities.ts",
  "app/data/texts.ts",
]);

const found = inferentialSentences();
const isCounted = ({ file, text, isBare }: (typeof found)[number]): boolean =>
  isBare && text === "shown" ? COUNTED_IN.has(file) : COUNTED.has(text) || (isBare && COUNTED_IN.has(file));
const inferred = found.filter((one) => !isCounted(one));

test("every text that goes beyond what was counted stands in docs/STATISTICS.md, when it is printed, what it rests on and what it does not say", () => {
  const printed = [...new Set(inferred.filter(({ isBare }) => !isBare).map(({ text }) => text))];
  const rows = rowsOf(table);
  const listed = rows.map(([text]) => codes(text)[0] ?? "");
  expect(printed.filter((text) => !listed.includes(text))).toEqual([]);
  expect(listed.filter((text) => !printed.includes(text))).toEqual([]); // what no code prints any more
  expect(rows.filter(([, ...said]) => said.length !== 3 || said.includes(""))).toEqual([]);
  expect(printed.length).toBeGreaterThan(80);
});

test("each p, each interval in brackets and each `shown` stands there, too, by the file that prints it", () => {
  const printed = [...new Set(inferred.filter(({ isBare }) => isBare).map(({ file, text }) => `${file}: ${text}`))];
  const rows = rowsOf(bareTable);
  const listed = rows.flatMap(([file, texts]) => codes(texts).map((text) => `src/${codes(file)[0]}: ${text}`));
  const known = new Set(listed.map((one) => one.slice(4)));
  expect(printed.filter((one) => !known.has(one))).toEqual([]);
  expect([...known].filter((one) => !printed.includes(one))).toEqual([]);
  expect(rows.filter(([, , ...said]) => said.length !== 3 || said.includes(""))).toEqual([]);
});

test("what is set aside as counted is still printed", () => {
  const texts = new Set(found.map(({ text }) => text));
  const files = new Set(found.map(({ file }) => file));
  expect([[...COUNTED].filter((text) => !texts.has(text)), [...COUNTED_IN].filter((file) => !files.has(file))]).toEqual(
    [[], []],
  );
});

test.each([
  ["an interval by itself", "return `$" + "{area} [$" + "{low}, $" + "{high}]`;", true],
  ["an interval made elsewhere", "return `$" + "{gain} [$" + "{between}]`;", true],
  ["a p", "return `KS $" + "{d}, p $" + "{p}`;", true],
  ["a title of a p", 'const title = "p users";', true],
  ["a word of proof", 'return isSure ? "shown" : "-";', true],
  ["a claim of pasts", 'const what = "the mood (right against sad)";', false],
  ["a sentence", 'const line = "a gain is shown for most of them";', false],
  ["a cause", 'const line = "this may be chance alone";', false],
])("the search for such texts finds %s", (_, source, isBare) => {
  expect(sentencesIn("app/new.ts", source)).toMatchObject([{ isBare }]);
});

test("the search passes over texts that only count", () => {
  expect(sentencesIn("app/new.ts", 'const a = ["3 users", "a list: a[0]", "golds[1]", "step by step"]')).toEqual([]);
});
