import { eventOptions } from "../memory/episodic.js";
import { factMemory, selectedFacts } from "../memory/fact-memory.js";
import { choice, counted, flag, integer } from "../registry/options.js";
import { selectOptions } from "../selectors/select-option.js";
import { trimSigns } from "../text/scan.js";
import { cutWords } from "../text/words.js";
import type { Answerer, Event, Kit, Method, Options, OptionTable, TaskBrief } from "../types/index.js";
import { assistantSystem, type Line, linesOf } from "./assistant/prompts.js";
import { answer, askText, callPlan, DIRECT, fixedCalls } from "./calls.js";

/** Options of `assistant` (METHODS 11). */
const options = {
  "assistant.k": integer({
    default: 10,
    min: 1,
    help: "facts recalled for an answer (the assistant paper, release: 10)",
  }),
  "assistant.extract": choice({
    default: "template",
    of: ["template", "llm"],
    help: "a history item becomes a fact by a sentence of our own, or by one model call each; lines of a dialogue are always read by the model",
  }),
  ...eventOptions,
  "assistant.history": counted({
    default: "full",
    plain: ["full", "none"],
    counted: ["buffer"],
    whole: true,
    help: "lines of a dialogue beside the facts: all (release), the last N, or none",
  }),
  "assistant.seedPersona": flag({
    default: true,
    help: "in a dialogue the memory starts with the persona (release; its baselines are told nothing)",
  }),
  "assistant.personaSide": choice({
    default: "asPublished",
    of: ["asPublished", "querySpeaker"],
    help: "asPublished: PersonaChat's persona counts as the user's, as in the release, though it describes who answers; querySpeaker: it is left out",
  }),
  "assistant.remember": choice({
    default: "all",
    of: ["all", "asked"],
    help: "whose facts are looked for: every turn of a dialogue, or only those that are asked (release)",
  }),
  ...selectOptions,
} satisfies OptionTable;

type AssistantOptions = Options<typeof options>;

export const assistant: Method<typeof options> = {
  name: "assistant",
  summary: "facts about the user, found again by their vectors",
  source:
    "the assistant paper; AliMohammadiiii/Personalized-LLM-with-Long-Term-Memory at f9850b3 read for constants; METHODS 11",
  options,
  embeds: ({ select }) => select === undefined || undefined, // undefined: depends on the selector
  async personalize(user, options, unitKit) {
    const memory =
      options.select === undefined
        ? factMemory(RELEASED_SEARCH, unitKit.embedder, unitKit.random("memory"))
        : await selectedFacts(options, unitKit);
    const lines: Line[] = [];
    await memory.add(await factsOf(user.history, options, unitKit));
    const answerer: Answerer = async (question, kit) => {
      const recalled = await memory.recall(question.content, options["assistant.k"], { question, kit });
      if (memory.facts.length === 0) kit.count("fallback=no-memory");
      kit.note({ kind: "facts", data: { recalled, known: memory.facts.length, search: memory.searchKind } });
      const { kind, count } = options["assistant.history"];
      const said = kind === "none" ? [] : kind === "full" ? lines : lines.slice(-count);
      const system = assistantSystem(recalled, said);
      return answer(kit, question.text, kit.task.dialogue === true ? system : `${system}\n\n${DIRECT}`);
    };
    answerer.learn = async (event, kit) => {
      await memory.add(await factsOf([event], options, kit), kit);
    };
    answerer.observe = async (turn, wasQuestion, kit) => {
      lines.push(...linesOf(turn));
      if (!wasQuestion && options["assistant.remember"] === "asked") return;
      const fact = await extracted(turn.said, kit);
      const isNew = fact !== undefined && (await memory.add([fact], kit)) > 0;
      kit.note({ kind: "fact", data: { said: turn.said, fact: fact ?? null, isNew, known: memory.facts.length } });
    };
    return answerer;
  },
  plan: (options) => {
    const extractions = (events: number) =>
      options["assistant.extract"] === "llm" && events > 0 ? { update: fixedCalls(events) } : {};
    return callPlan(options, {
      perUnit: (history) => extractions(history.length),
      perLearned: () => extractions(1),
      perObserved: (asked) => (asked || options["assistant.remember"] === "all" ? { update: fixedCalls(1) } : {}),
    });
  },
};

/** The release's index: exact up to 1024 facts, then 100 lists of which a search reads 20; 25 rounds of k-means (METHODS 11). */
const RELEASED_SEARCH = { exactUpTo: 1024, lists: 100, probes: 20, iterations: 25 };

/** Returns the facts of history events, oldest first: the persona of a dialogue as it is; else a statement an event, or what the model makes of it. */
async function factsOf(history: readonly Event[], options: AssistantOptions, kit: Kit): Promise<string[]> {
  if (kit.task.dialogue === true) {
    const isUsers = ({ fields }: Event): boolean =>
      options["assistant.personaSide"] === "asPublished" || fields.speaker === undefined;
    return options["assistant.seedPersona"] ? history.filter(isUsers).map(({ content }) => content) : [];
  }
  const statements = history.map((event) => statementOf(event, kit.task, options["events.maxWords"]));
  if (options["assistant.extract"] === "template") return statements;
  const facts = await Promise.all(statements.map((statement) => extracted(statement, kit)));
  return facts.filter((fact) => fact !== undefined);
}

/** Words a history event as its user would tell it (METHODS 11: each event becomes a first-person statement). */
function statementOf(event: Event, { answerNoun, itemNoun }: TaskBrief, maxWords: number): string {
  const content = cutWords(event.content, maxWords);
  const when = event.date === undefined ? "" : `On ${event.date}: `;
  if (event.label === undefined || event.label === event.content) return `${when}My own ${itemNoun}: "${content}"`;
  const { option1, option2 } = event.fields; // LaMP-1's labels mean nothing without them
  const among = option1 === undefined ? "" : ` and the references [1] "${option1}" and [2] "${option2}"`;
  return `${when}For the ${itemNoun} "${content}"${among}, my ${answerNoun} is ${event.label}`;
}

/** The model's reply to a line that tells nothing new; the release's word. */
const NO_FACT = "NO_FACT";

/** Asks the model for the one new fact that a user's line tells. */
async function extracted(said: string, kit: Kit): Promise<string | undefined> {
  const content = `Read what the user said. Where it tells a new personal fact (a preference, a detail of the user's life, who the user is), write that fact as one short sentence in the first person, such as "I live in Switzerland." Where it tells none, reply with the one word ${NO_FACT}.\nThe user said: "${said}"\nNew fact:`;
  return readFact(await askText(kit, "update", { messages: [{ role: "user", content }], maxTokens: 100 }));
}

/** Reads the fact of a reply; undefined where it says that there is none, or nothing. */
export function readFact(reply: string): string | undefined {
  const text = trimSigns(reply.trim(), "\"'“", "\"'”").trim();
  return text === "" || reply.includes(NO_FACT) ? undefined : text;
}
