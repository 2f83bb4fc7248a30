import { between, everyBetween, trimSigns } from "../../../text/scan.js";
import { findQuestions } from "./read-prompt.js";

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

/** Which label a piece of text names; undefined where it names none. */
export type LabelOf = (text: string) => string | undefined;

/** Takes what it understands out of `text` into `found` and returns the rest for the next reader. */
type Reader = (text: string, labelOf: LabelOf, found: Evidence) => string;

/** The item strings of the official LaMP prompts, joined by `, and ` (LaMP benchmark, prompts.py). */
const official: Reader = (text, labelOf, found) => {
  let rest = text;
  for (const { marks, of } of forms) {
    let left = "";
    let from = 0;
    for (const { parts, start, end } of everyBetween(rest, marks)) {
      const label = labelOf(parts[of.label] ?? "");
      left += label === undefined ? rest.slice(from, end) : `${rest.slice(from, start)} `;
      from = end;
      if (label !== undefined) found.examples.push({ text: parts[of.text] ?? "", label });
    }
    rest = left + rest.slice(from);
  }
  return rest;
};

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
const demonstrations: Reader = (text, labelOf, found) => {
  let [rest, from] = ["", 0];
  for (const { start, end, query } of findQuestions(text)) {
    rest += text.slice(from, start);
    from = end;
    const lines = query.trimEnd().split("\n");
    const label = labelOf(lines.at(-1) ?? "");
    if (label !== undefined && lines.length > 1) found.examples.push({ text: lines.slice(0, -1).join("\n"), label });
  }
  return rest + text.slice(from);
};

/** What a summary says about the user's labels: the usual ones, counts, shares and words that go with a label. */
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

/** Characters of a label with its count. */
const LONGEST_COUNT = 400;

const counts: Statement = (line, labelOf, found) => {
  const [, listed] =
    /\b(?:counts?|distribution|frequenc(?:y|ies)|shares?|preferences?|habits?)\b[^:\n]{0,60}:\s*(.+)$/i.exec(line) ??
    [];
  let isRead = false;
  for (const piece of listed?.split(/[,;]\s*|\.\s|\.$/) ?? []) {
    if (piece.length > LONGEST_COUNT) continue;
    const [, text = "", count] =
      /^(.+?)["'”]?\s*[:=x×(]*\s*(\d+(?:\.\d+)?)\s*%?\s*\)?(?:\s*(?:times|items|of \d+))?$/i.exec(piece.trim()) ?? [];
    const label = count === undefined ? undefined : labelOf(text);
    if (label === undefined) continue;
    found.counts.set(label, (found.counts.get(label) ?? 0) + Number(count));
    isRead = true;
  }
  return isRead;
};

/** The forms in which this model itself writes rules (summaries, critiques, personas). */
const rule: Statement = (line, labelOf, found) => {
  const typical = /typical words of ["“]([^"“”]+)["”]:\s*(.+?)\.?$/i.exec(line);
  const would = between(line, [
    /when the text mentions /gi,
    /,? the user would (?:choose|answer) ["“](?=[^"”])/gi,
    /["”]/g,
  ])?.parts;
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
        if (read === undefined || label === undefined) return true;
        found.examples.push({ text: read.text.replace(trailingSeparators, ""), label });
        return false;
      });
      return left.join(" ");
    })
    .join("\n");

/** Between the items of a printed list, or of items joined by bars. */
const listBreak = /(?<=['"]), (?=['"])| \| (?=(?:article|description|review|abstract|text|movie|paper)\s*:)/;

const trailingSeparators = /[\s|,;—–>→-]{1,9}$/;

const itemField = /\b(?:article|description|movie|review|abstract|paper|text|plot|content)\s*:\s*/i;
const labelField = /[\s|,;—–>→-](?:tag|category|score|rating|stars|headline|title|label|answer)\s*:/gi;

/** What stands behind the first name of a text and before the last name of a label, and behind that. */
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
  return { text: rest.slice(0, last.index), label: trimSigns(label, "", "'\"]") };
}

/** Any other record that ends with a marked label: `2020-01-02: <text> -> politics`, `... tagged as "comedy"`. */
const lines: Reader = (text, labelOf, found) => {
  const rest: string[] = [];
  let open: string[] = [];
  const flush = (): void => {
    rest.push(...open);
    open = [];
  };
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      flush();
      continue;
    }
    if (recordStart.test(line)) flush();
    open.push(line);
    const match = ending.exec(line.replace(/\s+/g, " "));
    const label = match === null ? undefined : labelOf(match[2] ?? "");
    if (match === null || label === undefined) continue;
    const body = [...open.slice(0, -1), match[1] ?? ""].join("\n").trim();
    if (body.length >= shortestItem) {
      found.examples.push({ text: body, label });
      open = [];
    }
  }
  flush();
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
