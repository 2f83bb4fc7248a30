import { taggedBlocks } from "../../text/scan.js";
import { typicalWords } from "./typical-words.js";

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
