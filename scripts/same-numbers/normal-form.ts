import { gunzipSync } from "node:zlib";

/** What of a file two versions must have in common, as text. Two files with equal texts say the same. */

/** Everything that is left out of a comparison, for the reader of its result. */
export const leftOut: readonly string[] = [
  "manifest.json: its check member `#`, startedAt, finishedAt, argv, node, git, version and the seals of the record files",
  "records: the check member `#` and how lines are framed; they are compared parsed, key order included",
  "responses.jsonl, searches.jsonl, vectors.jsonl: the order, which is that of arrival",
  "timings.jsonl: all but which records there are",
  "report.html: the page's own script and its hash in the policy, and how rows and transcripts are packed",
  'printed text: the line "median seconds per question"',
  "version numbers, where the trees have different ones",
];

/** `version`: that of the tree that wrote the file. */
export function normalForm(name: string, bytes: Buffer, version: string): string {
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (base.endsWith(".png")) return bytes.toString("base64");
  const text = bytes.toString("utf8");
  const form = forms.find(([pattern]) => pattern.test(base))?.[1] ?? asItIs;
  return form(text).replaceAll(
    new RegExp(`(lamp-eval@?[ /]?|"version": ?")${version.replaceAll(".", "\\.")}`, "g"),
    "$1VERSION",
  );
}

type Form = (text: string) => string;

const asItIs: Form = (text) => text;
const inOrder: Form = (text) => recordsOf(text).join("\n");
const inAnyOrder: Form = (text) => recordsOf(text).sort().join("\n");

const forms: readonly (readonly [RegExp, Form])[] = [
  [/^manifest\.json$/, manifest],
  [/^(responses|searches|vectors)\.jsonl$/, inAnyOrder],
  [/^timings\.jsonl$/, (text) => recordsOf(text, ["ms", "fromStore"]).sort().join("\n")],
  [/\.jsonl$/, inOrder],
  [/\.html$/, page],
  [/^stdout\.txt$/, (text) => text.replaceAll(/^median seconds per question:.*\n/gm, "")],
];

const OF_A_RUN = ["#", "startedAt", "finishedAt", "argv", "node", "git", "records"];

function manifest(text: string): string {
  const { plan, ...rest } = JSON.parse(text);
  const facts = Object.fromEntries(Object.entries(rest).filter(([name]) => !OF_A_RUN.includes(name)));
  return JSON.stringify({ ...facts, plan: { ...plan, version: "VERSION" } }, undefined, 1);
}

/** Each record as JSON, in file order, without its check and without these members. */
function recordsOf(text: string, without: readonly string[] = []): string[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const record: Record<string, unknown> = JSON.parse(line);
      const kept = Object.entries(record).filter(([name]) => name !== "#" && !without.includes(name));
      return JSON.stringify(Object.fromEntries(kept));
    });
}

/** The page's markup, then its rows and their transcripts in the order of the rows, wherever they are packed. */
function page(text: string): string {
  const { transcript, rowChunks, unitChunks, ...rows } = JSON.parse(dataIn(text, "rows") ?? "{}");
  const unpacked = (kind: string): unknown[] => {
    const all: unknown[] = [];
    for (let c = 0; ; c++) {
      const chunk = dataIn(text, `${kind}-chunk-${c}`);
      if (chunk === undefined) return all;
      for (const one of JSON.parse(gunzipSync(Buffer.from(chunk, "base64")).toString("utf8"))) all.push(one);
    }
  };
  const transcripts = unpacked("row");
  const places: readonly number[] = transcript ?? transcripts.map((_, place) => place);
  return [
    text
      .replace(/script-src 'sha256-[^']+'/, "script-src")
      .replace(/<script>[\s\S]*?<\/script>/, "<script></script>")
      .replaceAll(/<script type="[^"]+" id="(?:rows|(?:row|unit)-chunk-\d+)">[^<]*<\/script>\n?/g, ""),
    rows,
    ...places.map((place) => transcripts[place]),
    ...unpacked("unit"),
  ]
    .map((part) => (typeof part === "string" ? part : JSON.stringify(part)))
    .join("\n");
}

const dataIn = (text: string, id: string): string | undefined =>
  new RegExp(`<script type="[^"]+" id="${id}">([^<]*)</script>`).exec(text)?.[1];
