import { trimSigns } from "../../text/scan.js";
import { cutWords } from "../../text/words.js";
import type { AskRequest, Event, Kit, TaskBrief, Turn, User } from "../../types/index.js";
import type { AssistantOptions } from "./options.js";

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
function extractionRequest(said: string): AskRequest {
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

/**
 * What the memory starts with, oldest first: of a dialogue the persona, as it is; else a past as statements of our own, or what the
 * model makes of each.
 */
export async function factsOf({ history }: User, options: AssistantOptions, kit: Kit): Promise<string[]> {
  if (kit.task.dialogue === true) return personaOf(history, options);
  const statements = history.map((event) => statementOf(event, kit.task, options["events.maxWords"]));
  if (options["assistant.extract"] === "template") return statements;
  const facts = await Promise.all(statements.map((statement) => extracted(statement, kit)));
  return facts.filter((fact) => fact !== undefined);
}

/** The new fact that a line tells, asked of the model. */
export async function extracted(said: string, kit: Kit): Promise<string | undefined> {
  const reply = await kit.ask("update", extractionRequest(said));
  return reply.stop === "refusal" ? undefined : readFact(reply.text);
}

function personaOf(persona: readonly Event[], options: AssistantOptions): string[] {
  if (!options["assistant.seedPersona"]) return [];
  const isUsers = ({ fields }: Event): boolean =>
    options["assistant.personaSide"] === "asPublished" || fields.speaker === undefined;
  return persona.filter(isUsers).map(({ content }) => content);
}

/** A past event as its user would tell it (METHODS 11: each event becomes a first-person statement). */
function statementOf(event: Event, { answerNoun, itemNoun }: TaskBrief, maxWords: number): string {
  const content = cutWords(event.content, maxWords);
  const when = event.date === undefined ? "" : `On ${event.date}: `;
  if (event.label === undefined || event.label === event.content) return `${when}My own ${itemNoun}: "${content}"`;
  return `${when}For the ${itemNoun} "${content}", my ${answerNoun} is ${event.label}`;
}
