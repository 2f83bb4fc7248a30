import { meanMetric } from "../metrics/mean.js";
import { pyStrip } from "../text/python.js";
import type { Event, Metric, Question, RawQuery, Reading, Task } from "../types/index.js";
import { dated } from "./format.js";
import { answerReading, UNPARSED, unwrap } from "./reply-reading.js";

/** Returns the letters of so many options, 2 to 10. */
const lettersOf = (count: number): readonly string[] => [..."abcdefghij"].slice(0, count);

/** `(a) text`, a line an option. */
const lettered = (options: readonly string[]): string =>
  options.map((option, index) => `(${lettersOf(options.length)[index]}) ${option}`).join("\n");

/** Fills `{input}` and `{options}` of a prompt template. */
export function choiceQuestion({ id, input, date, options = [] }: RawQuery, template: string): Question {
  const content = pyStrip(input);
  const text = template.replace("{input}", () => content).replace("{options}", () => lettered(options));
  return { id, text, content, query: content, options, ...dated(date) };
}

/**
 * The letter in the last `\boxed{a}`, whatever its case, or a reply of one letter and nothing else. `\boxed{(a)}` is none.
 * Source: PersonaMem-v2 @8d4fbef, the reward of its training code; the bare letter is our own.
 */
export function boxedLetter(letters: readonly string[]): (reply: string) => Reading {
  return (reply) => {
    const letter = (boxed(reply) ?? pyStrip(reply)).replace(/[ \n]/g, "").toLowerCase();
    return letters.includes(letter) ? answerReading(letter) : UNPARSED;
  };
}

/**
 * Reads a letter as own tasks show it: boxed, alone, `(b)`, `b)` or `B.` with or without the option's text behind it, or named once in
 * the reply (`Option B`, `the answer is (b)`). The `a` of `a roast chicken` is none, two letters are no answer. Ours.
 */
export function shownLetter(letters: readonly string[]): (reply: string) => Reading {
  const official = boxedLetter(letters);
  const any = `[${letters.join("")}]`;
  const first = new RegExp(`^(?:\\((${any})\\)|(${any})(?:[).:](?!\\S)|$))`, "i");
  const named = new RegExp(
    `\\b(?:answer|option|choice)(?: is)?:? {0,3}(?:option )?(?:\\((${any})\\)|(${any})(?= {0,3}(?:[).:,;\\n]|$|(?:or|and|as|because|since)\\b)))`,
    "gi",
  );
  return (reply) => {
    const letter = official(reply);
    if (letter.kind === "answer") return letter;
    const text = unwrap(reply).replace(/[*_`"]/g, "");
    const start = first.exec(text);
    const found = start === null ? [...text.matchAll(named)] : [start];
    const [only, ...more] = new Set(found.map(([, inBrackets, alone]) => (inBrackets ?? alone ?? "").toLowerCase()));
    return only === undefined || more.length > 0 ? UNPARSED : answerReading(only);
  };
}

const boxed = (reply: string): string | undefined =>
  [...reply.matchAll(/\\boxed\{([^{}]*)\}/g)].at(-1)?.[1] ?? [...reply.matchAll(/\\fbox\{([^{}]*)\}/g)].at(-1)?.[1];

/**
 * Returns the one letter that a reply names: in its last box, behind its last `<final_answer>`, or in the whole of it. Two letters are
 * no answer. Source: PersonaMem @041d82a, inference_standalone_openai.py, extract_answer, without its look at the gold.
 */
export function namedLetter(letters: readonly string[]): (reply: string) => Reading {
  return (reply) => {
    for (const text of [boxed(reply), finalAnswer(reply), reply]) {
      const [only, ...more] = text === undefined ? [] : lettersIn(text, letters);
      if (only !== undefined && more.length === 0) return answerReading(only);
    }
    return UNPARSED;
  };
}

/** Returns the text behind the last `<final_answer>`, without its closing tag; the whole reply where there is none. */
const finalAnswer = (reply: string): string =>
  pyStrip(
    pyStrip(reply)
      .split("<final_answer>")
      .at(-1)!
      .replace(/<\/final_answer>\s*$/, ""),
  );

/** Letters in parentheses, else letters that stand alone as words; each once. */
function lettersIn(text: string, letters: readonly string[]): readonly string[] {
  const lower = text.toLowerCase();
  const any = letters.join("");
  const bracketed = [...lower.matchAll(new RegExp(`\\(([${any}])\\)`, "g"))];
  const alone = new RegExp(`(?<![\\p{L}\\p{N}_])([${any}])(?![\\p{L}\\p{N}_])`, "gu");
  const found = bracketed.length > 0 ? bracketed : [...lower.matchAll(alone)];
  return [...new Set(found.map(([, letter]) => letter!))];
}

/** Share of replies that `read` finds the gold letter in. */
function accuracyBy(read: (reply: string) => Reading, source: string): Metric {
  return meanMetric({ name: "accuracy", title: "Accuracy", source }, ({ prediction, gold }) => {
    const found = read(prediction);
    return found.kind === "answer" && found.answer === gold;
  });
}

/** Builds the parts that choice tasks share: history items have no options, so none can be posed as a question. */
export function choiceTask(count: number, own = false) {
  const letters = lettersOf(count);
  const strict = (own ? shownLetter : boxedLetter)(letters);
  const source = own ? "ours: the letter as shown" : "PersonaMem-v2 @8d4fbef, \\boxed{letter}, or the bare letter";
  return {
    kind: "choice",
    unlabelled: true, // the history is
    labels: letters,
    strict,
    lenient: namedLetter(letters),
    metrics: [accuracyBy(strict, source)],
    pose: (_event: Event): undefined => undefined,
  } as const satisfies Partial<Task>;
}
