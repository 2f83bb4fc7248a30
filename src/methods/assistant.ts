import { factMemory } from "../memory/fact-memory.js";
import type { Answerer, Kit, Method, User } from "../types.js";
import { answer } from "./answer.js";
import { type AssistantOptions, assistantOptions } from "./assistant/options.js";
import { assistantSystem, extractionRequest, readFact } from "./assistant/prompts.js";
import { statementOf } from "./assistant/statement.js";

export const assistant: Method<typeof assistantOptions> = {
  name: "assistant",
  summary: "facts about the user, found again by their vectors",
  source:
    "papers/004; AliMohammadiiii/Personalized-LLM-with-Long-Term-Memory at f9850b3 read for constants; METHODS 11",
  options: assistantOptions,
  async personalize(user, options, unitKit) {
    const memory = factMemory(memorySettings(options), unitKit.embedder, unitKit.random("memory"));
    await memory.add(await factsOf(user, options, unitKit));
    const answerer: Answerer = async (question, kit) => {
      const recalled = await memory.recall(question.content, options["assistant.k"]);
      if (memory.facts.length === 0) kit.count("fallback=no-memory");
      kit.note({ kind: "facts", data: { recalled, known: memory.facts.length, search: memory.searchKind } });
      return answer(kit, question.text, `${assistantSystem(recalled, [])}\n\n${DIRECT}`);
    };
    answerer.learn = async (event, kit) => {
      await memory.add(await factsOf({ id: user.id, history: [event] }, options, kit));
    };
    return answerer;
  },
  plan: (options) => {
    const extractions = (events: number) =>
      options["assistant.extract"] === "llm" && events > 0 ? { update: { low: events, high: events } } : {};
    return {
      perUnit: (history) => extractions(history.length),
      perQuestion: () => ({ answer: { low: 1, high: 1 } }),
      perLearned: () => extractions(1),
    };
  },
};

// --- internal ---

/** Most rounds of k-means when inverted lists are made (METHODS 11). */
const ITERATIONS = 25;

const DIRECT = "Give only the answer, in exactly the form the question asks for.";

const memorySettings = (options: AssistantOptions) => ({
  exactUpTo: options["assistant.ivfThreshold"],
  lists: options["assistant.ivfNlist"],
  probes: options["assistant.ivfNprobe"],
  iterations: ITERATIONS,
});

/** A past as facts, oldest first: sentences of our own, or what the model makes of each. */
async function factsOf({ history }: User, options: AssistantOptions, kit: Kit): Promise<string[]> {
  const statements = history.map((event) => statementOf(event, kit.task, options["assistant.eventMaxWords"]));
  if (options["assistant.extract"] === "template") return statements;
  const facts = await Promise.all(statements.map((statement) => extracted(statement, kit)));
  return facts.filter((fact) => fact !== undefined);
}

async function extracted(said: string, kit: Kit): Promise<string | undefined> {
  const reply = await kit.ask("update", extractionRequest(said));
  return reply.stop === "refusal" ? undefined : readFact(reply.text);
}
