import { between, everyBetween, trimSigns } from "../../../text/scan.js";
import { findQuestions } from "./prompt.js";

/** An item with what the user did with it. */
interface Example {
  readonly text: string;
  readonly label: string;
}

/** Everything a prompt shows about the user or about similar questions. */
export interface Evidence {
  readonly examples: Example[];
  /** Stated label counts or shares, as written. */
  readonly counts: Map<string, number>;
  /** Labels that are called the most usual ones, and of what (`positive score`). */
  readonly usual: { readonly label: string; readonly of: string }[];
  /** `words a, b go with label x`. */
  readonly rules: { readonly label: string; readonly words: string[] }[];
}

/** Returns the label that a text names; undefined: none. */
export type LabelOf = (text: string) => string | undefined;

/** Takes what it understands out of `text` into `found` and returns the rest for the next reader. */
type Reader = (text: string, labelOf: LabelOf, found: Evidence) => string;

/** Returns a text without the spans that are read. */
function without<T extends { start: number; end: number }>(
  text: string,
  spans: readonly T[],
  isRead: (span: T) => boolean,
) {
  let [rest, from] = ["", 0];
  for (const span of spans) {
    if (!isRead(span)) continue;
    rest += `${text.slice(from, span.start)} `;
    from = span.end;
  }
  return rest + text.slice(from);
}

/** The item strings of the official LaMP prompts, joined by `, and ` (LaMP benchmark, prompts.py). */
const official: Reader = (text, labelOf, found) =>
  forms.reduce(
    (rest, { marks, of }) =>
      without(rest, everyBetween(rest, marks), ({ parts }) => {
        const label = labelOf(parts[of.label]!);
        if (label !== undefined) found.examples.push({ text: parts[of.text]!, label });
        return label !== undefined;
      }),
    text,
  );

const itemEnd = /"\s(?=, and |\.\s|\.$)/g;

const forms = [
  {
    marks: [/the (?:tag|category) for the (?:movie|article): "/g, /" is "(?=[^"\n]{1,60}")/g, /"\s?/g],
    of: { text: 0, label: 1 },
  },
  {
    marks: [/(?<!\S)(?=\d(?:\.\d)? is the score for ")/g, ' is the score for "', itemEnd],
    of: { label: 0, text: 1 },
  },
  {
    marks: [/"(?=[^\n]{1,400}?" is (?:the|a) title for ")/g, /" is (?:the|a) title for "/g, itemEnd],
    of: { label: 0, text: 1 },
  },
];

/** Solved questions: `<question>\n<label>`, separated by blank lines (in-context learning). */
const demonstrations: Reader = (text, labelOf, found) =>
  without(text, findQuestions(text), ({ query }) => {
    const [last, ...earlier] = query.trimEnd().split("\n").toReversed();
    const label = labelOf(last ?? "");
    if (label !== undefined && earlier.length > 0)
      found.examples.push({ text: earlier.toReversed().join("\n"), label });
    return true;
  });

/** Reads a summary of the user's labels: the usual ones, counts, shares and words that go with a label. */
const stated: Reader = (text, labelOf, found) =>
  text
    .split("\n")
    .filter((line) => !statements.map((read) => read(line, labelOf, found)).includes(true))
    .join("\n");

/** Takes what a line states into `found`. Returns whether it is a statement. */
type Statement = (line: string, labelOf: LabelOf, found: Evidence) => boolean;

const usual: Statement = (line, labelOf, found) => {
  const said = line.matchAll(/\bmost (?:popular|common|frequent|often) ([^:\n]{0,30}):\s*["'“]?([^"'”,.;\n]+)/gi);
  const read = [...said].flatMap(([, of = "", text = ""]) => {
    const label = labelOf(text);
    return label === undefined ? [] : [{ label, of: of.toLowerCase() }];
  });
  found.usual.push(...read);
  return read.length > 0;
};

const LISTED = /\b(?:counts?|distribution|frequenc(?:y|ies)|shares?|preferences?|habits?)\b[^:\n]{0,60}:\s*(.+)$/i;
const COUNT = /^(.+?)["'”]?\s*[:=x×(]*\s*(\d+(?:\.\d+)?)\s*%?\s*\)?(?:\s*(?:times|items|of \d+))?$/i;
/** Characters of a label with its count. */
const LONGEST_COUNT = 400;

const counts: Statement = (line, labelOf, found) => {
  const pieces = LISTED.exec(line)?.[1]?.split(/[,;]\s*|\.\s|\.$/) ?? [];
  const read = pieces.flatMap((piece): [string, number][] => {
    const [, text, count] = piece.length > LONGEST_COUNT ? [] : (COUNT.exec(piece.trim()) ?? []);
    const label = text === undefined ? undefined : labelOf(text);
    return label === undefined ? [] : [[label, Number(count)]];
  });
  for (const [label, count] of read) found.counts.set(label, (found.counts.get(label) ?? 0) + count);
  return read.length > 0;
};

/** The forms in which this model itself writes rules (summaries, critiques, personas). */
const rule: Statement = (line, labelOf, found) => {
  const typical = /typical words of ["“]([^"“”]+)["”]:\s*(.+?)\.?$/i.exec(line);
  const marks = [/when the text mentions /gi, /,? the user would (?:choose|answer) ["“](?=[^"”])/gi, /["”]/g];
  const would = between(line, marks)?.parts;
  const label = labelOf(typical?.[1] ?? would?.[1] ?? "");
  const listed = typical?.[2] ?? would?.[0];
  if (label === undefined || listed === undefined) return false;
  found.rules.push({ label, words: listed.split(/,\s*/) });
  return true;
};

const statements: readonly Statement[] = [rule, usual, counts];

/** Items written as named fields on one line: `article: ... category: politics` (OPPU's history strings and lists). */
const fields: Reader = (text, labelOf, found) =>
  text
    .split("\n")
    .map((line) => {
      const left = line.split(listBreak).filter((item) => {
        const read = fieldsIn(item);
        const label = read && labelOf(read.label);
        if (read !== undefined && label !== undefined) found.examples.push({ text: read.text, label });
        return label === undefined;
      });
      return left.join(" ");
    })
    .join("\n");

/** Between the items of a printed list, or of items joined by bars. */
const listBreak = /(?<=['"]), (?=['"])| \| (?=(?:article|description|review|abstract|text|movie|paper)\s*:)/;

const trailingSeparators = /[\s|,;—–>→-]{1,9}$/;

const itemField = /\b(?:article|description|movie|review|abstract|paper|text|plot|content)\s*:\s*/i;
const labelField = /[\s|,;—–>→-](?:tag|category|score|rating|stars|headline|title|label|answer)\s*:/gi;

/** Returns what follows the first text field name, and what follows the last label field name. */
function fieldsIn(item: string): { readonly text: string; readonly label: string } | undefined {
  const first = itemField.exec(item);
  if (first === null) return undefined;
  const rest = item.slice(first.index + first[0].length);
  const ends = [...rest.matchAll(labelField)].map(({ 0: name, index }) => ({ index, end: index + name.length }));
  const last = ends.findLast(({ index, end }) => index > 0 && end < rest.length);
  if (last === undefined) return undefined;
  const label = rest
    .slice(last.end)
    .replace(/Answer:\s*$/i, "")
    .trim();
  return { text: rest.slice(0, last.index).replace(trailingSeparators, ""), label: trimSigns(label, "", "'\"]") };
}

/** Any other record that ends with a marked label: `2020-01-02: <text> -> politics`, `... tagged as "comedy"`. */
const lines: Reader = (text, labelOf, found) => {
  const rest: string[] = [];
  let open: string[] = [];
  for (const line of [...text.split("\n"), ""]) {
    if (line.trim() === "" || recordStart.test(line)) rest.push(...open.splice(0));
    open.push(line);
    const [, before = "", end] = ending.exec(line.replace(/\s+/g, " ")) ?? [];
    const label = end === undefined ? undefined : labelOf(end);
    if (label === undefined) continue;
    const body = [...open.slice(0, -1), before].join("\n").trim();
    if (body.length < shortestItem) continue;
    found.examples.push({ text: body, label });
    open = [];
  }
  return rest.join("\n");
};

/** Characters; shorter lines are statements, not items. */
const shortestItem = 20;

/** A number, a bullet or a date opens a new record; lines before it belong to the one before. */
const recordStart = /^\s*(?:[-*•]\s|\(?\d{1,3}[.)]\s|\[\d|(?:On\s+)?\d{4}(?:-\d{2}){0,2}\b)/;

const ending =
  /^(.*?)(?:->|=>|→|[|,;:.("'—–-] ?| )(?:the user(?:'s)? )?(?:(?:own )?(?:tag|category|score|rating|stars|headline|title|label|answer|choice)\s*(?::|is|was|=)|tagged(?: it)?(?: as)?\s*:?|rated(?: it)?\s*:?|labell?ed(?: as)?\s*:?|chose\s*:?|answered\s*:?|->|=>|→)\s*(.+?)\s*$/i;

/** Reads everything shown, in the formats that prompts use; the strictest format reads first. */
export function readEvidence(shown: string, labelOf: LabelOf): Evidence {
  const found: Evidence = { examples: [], counts: new Map(), usual: [], rules: [] };
  readers.reduce((rest, reader) => reader(rest, labelOf, found), shown);
  return found;
}

/** Recognizes exactly the given options, whatever their case, quotes or final period. */
export function oneOf(options: readonly string[]): LabelOf {
  const known = new Map(options.map((option) => [bare(option).toLowerCase(), option]));
  return (text) => known.get(bare(text).toLowerCase()) ?? known.get(bare(text).toLowerCase().replace(/\.0$/, ""));
}

/** Takes any short text for a label: for prompts that list a history without naming the options. */
export const anyLabel: LabelOf = (text) => {
  const label = bare(text);
  return label === "" || label.length > longestLabel || /[<>{}]/.test(label) ? undefined : label;
};

const readers: readonly Reader[] = [official, demonstrations, stated, fields, lines];

/** Characters; longer ones are sentences. Titles stay below. */
const longestLabel = 300;

const bare = (text: string): string => trimSigns(text.trim(), "\"'“‘([", "\"'”’)].").trim();
