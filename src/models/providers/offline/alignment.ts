import { between, taggedBlocks } from "../../../text/scan.js";
import { typicalWords } from "./words.js";

/** A judged reply of a personal agent: what was asked, what the user would have said, what the agent said. */
interface Judged {
  readonly question: string;
  readonly expected: string;
  readonly response: string;
}

/** Reads `Question / Expected Answer / Agent Response`, as fields or as tags; undefined where one of them is missing. */
export function readJudged(text: string): Judged | undefined {
  const question = section(text, "question");
  const expected = section(text, "(?:expected|correct|gold|true|ground.truth)[ _-]?(?:answer|response|label)?");
  const response = section(text, "(?:agent|model|actual|predicted)[ _-]?(?:answer|response|reply|output)?|response");
  if (question === undefined || expected === undefined || response === undefined) return undefined;
  return { question, expected, response };
}

/** Feedback on the system prompt: what the user's answer says of the user, in a form that later replies can use. */
export function critique({ question, expected, response }: Judged): string {
  const item = question.slice(itemStart(question));
  const about = typicalWords([item], [item], 10).join(", ");
  const right = response.trim().toLowerCase() === expected.trim().toLowerCase();
  const verdict = right
    ? "The answer is what this user would say; keep what led to it."
    : `The agent answered "${oneLine(response)}", but this user answers "${oneLine(expected)}".`;
  return [
    verdict,
    `When the text mentions ${about} the user would answer "${oneLine(expected)}".`,
    `Search the user's history with such words before general knowledge: ${about}.`,
    "Describe the user by these interests, and prefer the user's own past choices over the obvious answer.",
  ].join("\n");
}

const heading = "(?:question|expected|correct|gold|agent|model|actual|response)";

function section(text: string, name: string): string | undefined {
  const [tagged] = taggedBlocks(text, name);
  if (tagged !== undefined) return tagged.inner.trim();
  const field = new RegExp(
    `(?:^|\\n)[#* \\t]*(?:${name})[*\\s]*:[*\\s]*([\\s\\S]*?)(?=\\n[#* \\t]*${heading}[ _\\w]{0,20}[*\\s]*:|\\n\\n|$)`,
    "i",
  ).exec(text);
  return field?.[1]?.trim();
}

/** Behind the instruction and the list of options, where the item begins. */
function itemStart(question: string): number {
  const marker = /(?:description|article|review|paper|abstract|text)\s*:\s*/gi;
  const first = marker.exec(question);
  return first === null ? 0 : first.index + first[0].length;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").replaceAll('"', "'").trim().slice(0, 200);

/** A persona (system prompt) and the feedback that asks for a better one. */
interface Revision {
  readonly persona: string;
  readonly feedback: string;
}

/** Reads a request to rewrite a system prompt after feedback; undefined where it is none. */
export function readRevision(text: string): Revision | undefined {
  if (!/\b(?:updat|revis|improv|refin|rewrit)\w*\b/i.test(text)) return undefined;
  const revision = tagged(text) ?? headed(text);
  if (revision === undefined) return undefined;
  return { persona: revision.persona.trim(), feedback: revision.feedback.replace(closing, "").trim() };
}

/** The persona with what the feedback teaches merged in: rules of one answer become one rule, the newest words last. */
export function revise({ persona, feedback }: Revision): string {
  const rules = new Map<string, Set<string>>();
  const kept: string[] = [];
  for (const line of persona.split("\n")) if (!takeRule(line, rules) && line !== learned) kept.push(line);
  for (const line of feedback.split("\n")) takeRule(line, rules);
  const written = [...rules].map(
    ([answer, words]) =>
      `When the text mentions ${[...words].slice(-mostWords).join(", ")} the user would answer "${answer}".`,
  );
  return [kept.join("\n").trim(), ...(written.length === 0 ? [] : [learned, ...written])].join("\n");
}

/** Words kept for one answer, so that a persona does not grow without end. */
const mostWords = 30;
const learned = "What this user's own choices show:";

function tagged(text: string): Revision | undefined {
  const [persona] = taggedBlocks(text, "(?:current_)?(?:system_)?(?:prompt|persona)");
  if (persona === undefined) return undefined;
  const [feedback] = taggedBlocks(text.slice(persona.end), "(?:aggregated_)?feedback");
  return feedback && { persona: persona.inner, feedback: feedback.inner };
}

function headed(text: string): Revision | undefined {
  const found = between(text, [
    /current (?:system prompt|persona|prompt)[^:\n]{0,40}:/gi,
    /\n[#* \t]*(?:provided |aggregated |the )*feedback[^:\n]{0,60}:\s*/gi,
  ]);
  return found && { persona: found.parts[0] ?? "", feedback: text.slice(found.end) };
}

/** The instruction that may follow the feedback. */
const closing = /\n[^\S\n]*\n(?:Write|Output|Reply|Now|Return|Updated|Improved|Give)[\s\S]*$/;

function takeRule(line: string, rules: Map<string, Set<string>>): boolean {
  const [mentioned, answer] =
    between(line, [/when the text mentions /gi, /,? the user would answer "(?=[^"])/gi, '"'])?.parts ?? [];
  if (mentioned === undefined || answer === undefined) return false;
  const words = rules.get(answer) ?? new Set<string>();
  for (const word of mentioned.split(/,\s*/)) {
    words.delete(word);
    words.add(word);
  }
  rules.set(answer, words);
  return true;
}
