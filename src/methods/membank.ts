import { AGENT_SYSTEM_PROMPT, runAgent } from "../agent/loop.js";
import { UsageError } from "../errors.js";
import { bankSystemPrompt } from "../memory/bank-prompts.js";
import { bucketsOf } from "../memory/buckets.js";
import { type BankMemory, type BankSettings, bankSelecting, memoryBank, shownHits } from "../memory/memory-bank.js";
import { noteMemory } from "../notes/note.js";
import { selectionCalls, sharedSelectionCalls } from "../selectors/open.js";
import { cutWords } from "../text/words.js";
import type { Answerer, Event, Kit, Method } from "../types.js";
import { answer } from "./answer.js";
import { type MembankOptions, membankOptions } from "./membank-options.js";
import { summarizeBank } from "./membank-summaries.js";
import { listedBy } from "./pag-options.js";
import { agentCalls, wikipediaOf } from "./react.js";

const ROLE =
  "You answer on behalf of one user whom you know from memory. Use the memory where it bears on the question, and follow the user's preferences.";
const DIRECT = "Give only the answer, in exactly the form the question asks for.";

export const membank: Method<typeof membankOptions> = {
  name: "membank",
  summary: "dated summaries of events and preferences, recalled by similarity, with a forgetting curve",
  source: "Zhong et al. 2024 (MemoryBank) as adapted in PersonaAgent; METHODS 6",
  unfit: ({ dialogue }) =>
    dialogue === true ? "it sums up days that are over, and a dialogue starts without any" : undefined,
  options: membankOptions,
  async personalize(user, options, unitKit) {
    const show = shownBy(unitKit, options["membank.eventMaxWords"]);
    const past = bucketsOf(user.history, options["membank.bucket"], options["membank.maxBuckets"]);
    const line = listedBy(unitKit.task, options["summary.events"]);
    const listed = (event: Event): string =>
      line({ ...event, content: cutWords(event.content, options["membank.eventMaxWords"]) });
    const summaries = await summarizeBank(past, listed, options, unitKit);
    const bank = await memoryBank(
      summaries.buckets,
      bankSettings(options, show, unitKit),
      unitKit.embedder,
      unitKit.random("bank"),
    );
    const history = options["membank.includeGlobalSummary"] ? summaries.history : "";
    const buckets = [...summaries.buckets];
    const answerer: Answerer = async (question, kit) => {
      if (buckets.length === 0) kit.count("fallback=no-memory");
      if (options["membank.forget"] !== "off" && question.date === undefined) kit.count("forget-undated-question");
      const hits = await bank.recall(question.content, options["memory.k"], question.date, { question, kit });
      const recalled = hits.map(({ bucket, event }) => event?.id ?? `summary of ${bucket}`);
      noteMemory(kit, recalled);
      const view = { history, profile: summaries.profile, memories: shownHits(hits, buckets) };
      if (options["membank.mode"] === "direct")
        return answer(kit, question.text, bankSystemPrompt(`${ROLE}\n${DIRECT}`, view));
      const run = await runAgent({
        kit,
        phase: "answer",
        system: bankSystemPrompt(`${ROLE}\n${AGENT_SYSTEM_PROMPT}`, view),
        question: question.text,
        tools: wikipediaOf(kit, options),
        settings: options,
      });
      return run.answer;
    };
    answerer.learn = async (event) => {
      const [fresh] = bucketsOf([event], options["membank.bucket"], 1);
      if (fresh === undefined) return;
      await bank.add(fresh);
      if (!buckets.some(({ name }) => name === fresh.name)) buckets.push({ ...fresh, summary: "" });
    };
    return answerer;
  },
  needs: (options) => {
    const agent = options["membank.mode"] === "agent";
    return { tools: agent ? ["wikipedia"] : [], agent };
  },
  plan: (options) => ({
    perUnit: (history) => {
      const buckets = bucketsOf(history, options["membank.bucket"], options["membank.maxBuckets"]).length;
      const calls = 2 * buckets + 2;
      return buckets === 0 ? {} : { summary: { low: calls, high: calls } };
    },
    perQuestion: () => ({
      ...selectionCalls(options.select, options),
      answer: options["membank.mode"] === "direct" ? { low: 1, high: 1 } : agentCalls(options),
    }),
    perCell: () => sharedSelectionCalls(options.select, options),
  }),
  check(options) {
    if (options.select !== undefined && options["membank.forget"] !== "off")
      throw new UsageError("membank.forget: weighs the similarities of memory.kind; leave select or forgetting out");
  },
  sequential: (options) => options["membank.reinforce"],
};

function shownBy({ task }: Kit, maxWords: number): (event: Event) => string {
  return (event) => task.show({ ...event, content: cutWords(event.content, maxWords) });
}

function bankSettings(options: MembankOptions, show: (event: Event) => string, unitKit: Kit): BankSettings {
  const { select } = options;
  return {
    ...(select === undefined
      ? {}
      : { open: (memories: readonly BankMemory[]) => bankSelecting(select, memories, options, unitKit) }),
    retriever: options["memory.kind"],
    forgetting: options["membank.forget"],
    timeUnitDays: options["membank.timeUnitDays"],
    rule: options["membank.forgetRule"],
    reinforce: options["membank.reinforce"],
    show,
  };
}
