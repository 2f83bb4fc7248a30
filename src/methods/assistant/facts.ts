import { cutWords } from "../../text/words.js";
import type { Event, Kit, TaskBrief, User } from "../../types.js";
import type { AssistantOptions } from "./options.js";
import { extractionRequest, readFact } from "./prompts.js";

/**
 * What the memory starts with, oldest first: of a dialogue the persona, as it is; else a past as statements of our own, or what the
 * model makes of each.
 */
export async function factsOf({ history }: User, options: AssistantOptions, kit: Kit): Promise<string[]> {
  if (kit.task.dialogue === true) return personaOf(history, options);
  const statements = history.map((event) => statementOf(event, kit.task, options["assistant.eventMaxWords"]));
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
