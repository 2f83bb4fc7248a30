import { CHUNK, type PageChunk, type PageQuestion } from "../data.js";
import { transcriptIn } from "../pieces.js";
import { scoreText } from "./answers.js";
import { button, element, inflate } from "./dom.js";

const chunks = new Map<number, Promise<PageChunk>>();

/** Returns the parts of a transcript: what it cost, then each title and its text. */
export async function transcriptParts(number: number, question: PageQuestion): Promise<HTMLElement[]> {
  const c = Math.floor(number / CHUNK);
  const chunk = chunks.get(c) ?? inflate<PageChunk>(`chunk-${c}`);
  chunks.set(c, chunk);
  const { cost, groups } = transcriptIn(await chunk, number % CHUNK);
  const shown = groups.flat().flatMap(([title, text]) => {
    const name = titles.reduce((changed, [from, to]) => changed.replace(from, to), title);
    if (text === undefined) return [element("p", { class: "said" }, element("b", {}, name))];
    return [element("p", { class: "said" }, name), bodyOf(title, text, question)];
  });
  return [element("p", { class: "said" }, cost || "no calls"), ...shown];
}

/** Titles for readers who do not know the log. */
const titles: readonly (readonly [RegExp, string])[] = [
  [/^user$/, "prompt"],
  [/^reply, end\b.*$/, "reply"],
  [/^reply, (\w+), .*$/, "reply, ended by $1"],
  [/^demos$/, "examples from training users"],
  [/^retrieved$/, "retrieved from the history"],
  [/^own$/, "from the user’s history"],
  [/^global$/, "from other users"],
  [/^turn (\d+): call (.*)$/, "turn $1: calls $2"],
];

/** A text of more characters or lines is folded. */
const LONG_CHARS = 1100;
const LONG_LINES = 15;

/** Shows records as a table, other texts as they are; long ones are folded. */
function bodyOf(title: string, text: string, question: PageQuestion): HTMLElement {
  const records = recordsOf(text);
  if (records !== undefined) return recordsTable(title, records);
  const isLong = text.length > LONG_CHARS || text.split("\n").length > LONG_LINES;
  const shown = element("pre", { class: `${speakerOf(title)}${isLong ? " long" : ""}` }, marked(text, question));
  if (!isLong) return shown;
  const unfold = button(
    () => {
      shown.classList.add("all");
      unfold.remove();
    },
    {},
    `show all ${text.length.toLocaleString("en-US")} characters`,
  );
  return element("div", {}, shown, unfold);
}

/** Returns who speaks, for the colour. */
function speakerOf(title: string): string {
  if (/^(system|user|question)\b/.test(title)) return "asked";
  return /^(reply|answer|turn)\b/.test(title) ? "reply" : "";
}

type PageRecord = Readonly<Record<string, unknown>>;

/** Reads one JSON object a line; undefined where the text is none. */
function recordsOf(text: string): PageRecord[] | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return text.split("\n").map((line) => JSON.parse(line) as PageRecord);
  } catch {
    return undefined;
  }
}

/** Shows ids as a line, one record as its fields, several as a table. */
function recordsTable(title: string, records: readonly PageRecord[]): HTMLElement {
  const isThere = (key: string): boolean => records.some((record) => String(record[key] ?? "") !== "");
  const keys = [...new Set(records.flatMap(Object.keys))].filter(isThere);
  const values = records.flatMap((record) => keys.map((key) => record[key]));
  const areTexts = values.every((value) => typeof value === "string");
  const areIds = areTexts && keys.length <= 2 && values.every((value) => String(value).length < 20);
  if (areIds && records.length > 1)
    return element("pre", {}, records.map((record) => record[keys.at(-1) ?? ""]).join(", "));
  if (areTexts && records.length === 1)
    return element("pre", {}, keys.map((key) => `${key}: ${records[0]![key]}`).join("\n"));
  const head = element(
    "tr",
    {},
    keys.map((key) => element("th", { scope: "col" }, key)),
  );
  const lines = records.map((record) =>
    element(
      "tr",
      {},
      keys.map((key) => recordCell(record[key])),
    ),
  );
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, lines));
  return element("div", { class: "records", tabindex: "0", role: "region", "aria-label": title }, table);
}

function recordCell(value: unknown): HTMLElement {
  if (typeof value === "number")
    return element("td", { class: "num" }, Number.isInteger(value) ? String(value) : scoreText(value));
  const text = Array.isArray(value)
    ? value.join(", ")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value ?? "");
  return element("td", { class: text.length < 16 ? "short" : "text" }, text);
}

/** Marks the beginning of the question and, where it is a label, the gold answer in what the model saw. */
function marked(text: string, { asked, gold }: PageQuestion): (HTMLElement | string)[] {
  const beginning = asked.slice(0, 60).replace(/\s+\S*$/, "");
  const label = gold !== undefined && gold.length > 2 && gold.length < 40 ? gold : "";
  const words = [beginning, label].filter((word) => word !== "");
  if (words.length === 0) return [text];
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text
    .split(new RegExp(`(${pattern})`))
    .map((part) =>
      words.includes(part) ? element("mark", { class: part === label ? "gold" : undefined }, part) : part,
    );
}
