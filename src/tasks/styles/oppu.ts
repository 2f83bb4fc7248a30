import { firstWords } from "../../text/words.js";
import type { Event, PromptStyle, Question } from "../../types/index.js";
import type { OppuStrings } from "./oppu-strings.js";

export interface OppuStyle extends PromptStyle {
  readonly strings: OppuStrings;
  /** The official request for a profile summary: fields cut to `fieldMaxWords` (OPPU: 200), items as a Python list. */
  profile(events: readonly Event[], fieldMaxWords: number): string;
}

/** OPPU's prompt: history lines, best first, an empty line, the question; a `prefix` (profile and line break) in front. */
export function oppuStyle(strings: OppuStrings): OppuStyle {
  return {
    name: "oppu",
    source: "TamSiuhin/OPPU @9fb3f46, OPPU.py and prompt/prompt.json",
    strings,
    document: (event) => historyLine(strings, event, HISTORY_MAX_WORDS),
    query: (question) => strings.query(rawText(strings, question)),
    tokenize: (text) => text.split(" "),
    assemble: (question, events, settings) => {
      const lines = events.map((event) => historyLine(strings, event, HISTORY_MAX_WORDS)).join("");
      const history = events.length === 0 ? "" : `${lines}\n`;
      return (settings.prefix ?? "") + history + strings.prompt(rawText(strings, question));
    },
    profile: (events, fieldMaxWords) =>
      strings.profile(pythonList(events.map((event) => historyLine(strings, event, fieldMaxWords).slice(0, -1)))),
  };
}

export const isOppuStyle = (style: PromptStyle): style is OppuStyle => "strings" in style;

/** One history item as OPPU shows and indexes it, each field cut to `maxWords`, with its line break. */
export function historyLine(strings: OppuStrings, event: Event, maxWords: number): string {
  return `${strings.history(firstWords(event.content, maxWords), firstWords(event.label ?? "", maxWords))}\n`;
}

/** Python's `str(list of str)`. */
export function pythonList(items: readonly string[]): string {
  return `[${items.map(pythonString).join(", ")}]`;
}

/** Words per field of a test user's history. Source: OPPU.py (368; 768 in training). */
const HISTORY_MAX_WORDS = 368;

/** The text behind the marker as it stands. */
function rawText({ marker }: OppuStrings, question: Question): string {
  const at = marker === undefined ? -1 : question.text.indexOf(marker);
  return marker === undefined || at < 0 ? question.content : question.text.slice(at + marker.length);
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Python's `repr(str)`: single quotes unless only those occur inside; what Python cannot print is escaped. */
function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\n\r\t']|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, (char) => {
    if (char === "'") return quote === "'" ? "\\'" : "'";
    return ESCAPES[char] ?? escapedCode(char.codePointAt(0) ?? 0);
  });
  return quote + body + quote;
}

function escapedCode(code: number): string {
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
