import { between } from "../../../text/scan.js";
import { typicalWords } from "./words.js";

/**
 * Returns feedback on a persona (system prompt), in a form that later replies can use: what the user's answer says of the user.
 * Undefined where the text holds no question, expected answer and agent's response.
 */
export function critique(text: string): string | undefined {
  const question = field(text, "question");
  const expected = field(text, "(?:expected|correct|gold|true|ground.truth)[ _-]?(?:answer|response|label)?");
  const response = field(text, "(?:agent|model|actual|predicted)[ _-]?(?:answer|response|reply|output)?|response");
  if (question === undefined || expected === undefined || response === undefined) return undefined;
  const [marker] = question.matchAll(/(?:description|article|review|paper|abstract|text)\s*:\s*/gi);
  const item = marker === undefined ? question : question.slice(marker.index + marker[0].length);
  const about = typicalWords([item], [item], 10).join(", ");
  const isRight = response.toLowerCase() === expected.toLowerCase();
  return [
    isRight
      ? "The answer is what this user would say; keep what led to it."
      : `The agent answered "${oneLine(response)}", but this user answers "${oneLine(expected)}".`,
    ruleOf(oneLine(expected), about),
    `Search the user's history with such words before general knowledge: ${about}.`,
    "Describe the user by these interests, and prefer the user's own past choices over the obvious answer.",
  ].join("\n");
}

const heading = "(?:question|expected|correct|gold|agent|model|actual|response)";

/** Returns what stands behind a heading such as `Expected Answer:`. */
const field = (text: string, name: string): string | undefined =>
  new RegExp(
    `(?:^|\\n)[#* \\t]*(?:${name})[*\\s]*:[*\\s]*([\\s\\S]*?)(?=\\n[#* \\t]*${heading}[ _\\w]{0,20}[*\\s]*:|\\n\\n|$)`,
    "i",
  )
    .exec(text)?.[1]
    ?.trim();

const oneLine = (text: string): string => text.replace(/\s+/g, " ").replaceAll('"', "'").trim().slice(0, 200);

const ruleOf = (answer: string, words: string): string =>
  `When the text mentions ${words} the user would answer "${answer}".`;

/**
 * Returns a persona with what the feedback teaches merged in: rules of one answer become one rule, the newest words last. Undefined
 * where no persona is to be rewritten.
 */
export function revise(text: string): string | undefined {
  if (!/\b(?:updat|revis|improv|refin|rewrit)\w*\b/i.test(text)) return undefined;
  const found = between(text, [
    /current (?:system prompt|persona|prompt)[^:\n]{0,40}:/gi,
    /\n[#* \t]*(?:provided |aggregated |the )*feedback[^:\n]{0,60}:\s*/gi,
  ]);
  if (found === undefined) return undefined;
  const rules = new Map<string, Set<string>>();
  const kept: string[] = [];
  for (const line of found.parts[0]!.trim().split("\n"))
    if (!takeRule(line, rules) && line !== LEARNED) kept.push(line);
  for (const line of text.slice(found.end).replace(CLOSING, "").trim().split("\n")) takeRule(line, rules);
  const written = [...rules].map(([answer, words]) => ruleOf(answer, [...words].slice(-MOST_WORDS).join(", ")));
  return [kept.join("\n").trim(), ...(written.length === 0 ? [] : [LEARNED, ...written])].join("\n");
}

/** Words kept for one answer, so that a persona does not grow without end. */
const MOST_WORDS = 30;
const LEARNED = "What this user's own choices show:";

/** The instruction that may follow the feedback. */
const CLOSING = /\n[^\S\n]*\n(?:Write|Output|Reply|Now|Return|Updated|Improved|Give)[\s\S]*$/;

function takeRule(line: string, rules: Map<string, Set<string>>): boolean {
  const marks = [/when the text mentions /gi, /,? the user would answer "(?=[^"])/gi, '"'];
  const [mentioned, answer] = between(line, marks)?.parts ?? [];
  if (mentioned === undefined || answer === undefined) return false;
  const words = rules.get(answer) ?? new Set<string>();
  for (const word of mentioned.split(/,\s*/)) {
    words.delete(word);
    words.add(word);
  }
  rules.set(answer, words);
  return true;
}
