import { trimSigns } from "../../text/scan.js";
import type { AskRequest, Turn } from "../../types.js";

/** The prompts of the assistant paper (section 3.3, listing 1) in our words; the word NO_FACT is the release's. */

/** What the model replies where a line tells nothing new. */
const NO_FACT = "NO_FACT";

/** A line of a dialogue. */
export interface Line {
  readonly speaker: "User" | "Assistant";
  readonly text: string;
}

/** The lines of a turn, in order. */
export const linesOf = ({ said, reply }: Pick<Turn, "said" | "reply">): Line[] => [
  { speaker: "User", text: said },
  ...(reply === undefined ? [] : [{ speaker: "Assistant" as const, text: reply }]),
];

/** The system prompt with what is known of the user and what was said; parts that are empty are left out. */
export function assistantSystem(facts: readonly string[], lines: readonly Line[]): string {
  return [
    "You are the personal assistant of one user. Use what you know of this user where it bears on what is asked.",
    ...(facts.length === 0 ? [] : [`What you know of the user:\n${facts.map((fact) => `- ${fact}`).join("\n")}`]),
    ...(lines.length === 0 ? [] : [`What was said before:\n${shownLines(lines)}`]),
  ].join("\n\n");
}

/** The system prompt of an assistant that remembers these lines and nothing else. */
export function bufferSystem(lines: readonly Line[]): string {
  return lines.length === 0 ? STATELESS_SYSTEM : `${STATELESS_SYSTEM}\n\nWhat was said before:\n${shownLines(lines)}`;
}

export const STATELESS_SYSTEM = "You are a helpful assistant.";

/** Asks for the one new fact that a user's line tells. */
export function extractionRequest(said: string): AskRequest {
  return {
    messages: [
      {
        role: "user",
        content: `Read what the user said. Where it tells a new personal fact (a preference, a detail of the user's life, who the user is), write that fact as one short sentence in the first person, such as "I live in Switzerland." Where it tells none, reply with the one word ${NO_FACT}.\nThe user said: "${said}"\nNew fact:`,
      },
    ],
    maxTokens: 100,
  };
}

/** The fact of a reply; undefined where it says that there is none, or nothing. */
export function readFact(reply: string): string | undefined {
  const text = trimSigns(reply.trim(), "\"'“", "\"'”").trim();
  return text === "" || reply.includes(NO_FACT) ? undefined : text;
}

const shownLines = (lines: readonly Line[]): string =>
  lines.map(({ speaker, text }) => `${speaker}: ${text}`).join("\n");
