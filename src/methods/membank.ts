import { AGENT_SYSTEM_PROMPT, agentOptions, runAgent } from "../agent/loop.js";
import { wikiOptions } from "../agent/tools/wikipedia.js";
import { UsageError } from "../errors.js";
import {
  bankSystemPrompt,
  eventSummaryRequest,
  globalEventsRequest,
  globalPreferencesRequest,
  namedTexts,
  preferenceSummaryRequest,
} from "../memory/bank-prompts.js";
import { type Bucket, bucketName, bucketOption, bucketsOf, type Cut, maxBucketsOption } from "../memory/buckets.js";
import { eventOptions, memoryOptions } from "../memory/episodic.js";
import { formatHits, memoryBank, type SummarizedBucket } from "../memory/memory-bank.js";
import { choice, counted, flag } from "../registry/options.js";
import { selectionCalls } from "../selectors/open.js";
import { selectOptions } from "../selectors/select-option.js";
import { cutWords } from "../text/words.js";
import type { Answerer, AskRequest, Event, Kit, Method, Options, OptionTable } from "../types/index.js";
import { answer, callPlan, DIRECT, fixedCalls, summaryOrFallback } from "./calls.js";
import { eventNouns, summaryFormatter } from "./pag-summary.js";
import { agentCalls, wikipediaOf } from "./react.js";

/** Options of `membank` (METHODS 6.2). */
const options = {
  "membank.mode": choice({
    default: "agent",
    of: ["agent", "direct"],
    help: "agent: memories in the system prompt and the Wikipedia tool in the loop; direct: one call",
  }),
  "membank.bucket": bucketOption("which events are summarized together (MemoryBank: a day)"),
  "membank.maxBuckets": maxBucketsOption(),
  ...eventOptions,
  "membank.includeGlobalSummary": flag({
    default: true,
    help: "show the overview of all events (described in the paper, left out of the released templates)",
  }),
  "membank.forget": choice({
    default: "off",
    of: ["off", "paper", "released-bug"],
    help: "forgetting curve: e^(-t/S), or the released code's e^(-t*S/5); t runs to the date of the question",
  }),
  "membank.forgetRule": counted({
    default: "rank",
    plain: ["rank", "sample"],
    counted: ["threshold"],
    help: "rank: similarity x retention, nothing deleted; threshold: drop below; sample: keep with that probability",
  }),
  "membank.reinforce": flag({
    default: false,
    help: "recalled memories become new and stronger: answers then depend on the order of the questions",
  }),
  "memory.k": memoryOptions["memory.k"],
  ...selectOptions,
  ...agentOptions,
  ...wikiOptions,
} satisfies OptionTable;

const ROLE =
  "You answer on behalf of one user whom you know from memory. Use the memory where it bears on the question, and follow the user's preferences.";

export const membank: Method<typeof options> = {
  name: "membank",
  summary: "dated summaries of events and preferences, recalled by similarity, with a forgetting curve",
  source: "Zhong et al. 2024 (MemoryBank) as adapted in PersonaAgent; METHODS 6",
  unfit: ({ dialogue }) =>
    dialogue === true ? "it sums up days that are over, and a dialogue starts without any" : undefined,
  options,
  embeds: ({ select }) => select === undefined || undefined, // undefined: depends on the selector
  async personalize(user, options, unitKit) {
    const maxWords = options["events.maxWords"];
    const pastBuckets = bucketsOf(user.history, cutOf(options));
    const summaries = await summarizeBank(pastBuckets, summaryFormatter(unitKit.task, maxWords), unitKit);
    const settings = {
      forgetting: options["membank.forget"],
      rule: options["membank.forgetRule"],
      reinforce: options["membank.reinforce"],
      show: (event: Event) => unitKit.task.formatEvent({ ...event, content: cutWords(event.content, maxWords) }),
      selectorOptions: options,
    };
    const bank = await memoryBank(summaries.buckets, settings, unitKit);
    const overview = options["membank.includeGlobalSummary"] ? summaries.history : "";
    const buckets = [...summaries.buckets];
    let known = user.history.length;
    const answerer: Answerer = async (question, kit) => {
      if (buckets.length === 0) kit.count("fallback=no-memory");
      if (options["membank.forget"] !== "off" && question.date === undefined) kit.count("forget-undated-question");
      const hits = await bank.recall(question.content, options["memory.k"], question.date, { question, kit });
      const recalled = hits.map(({ bucket, event }) => event?.id ?? `summary of ${bucket}`);
      kit.note({ kind: "memory", data: recalled });
      const view = { history: overview, profile: summaries.profile, memories: formatHits(hits, buckets) };
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
      const fresh = { name: bucketName(event, options["membank.bucket"], known++), events: [event] };
      await bank.add(fresh);
      if (!buckets.some(({ name }) => name === fresh.name)) buckets.push({ ...fresh, summary: "" });
    };
    return answerer;
  },
  needs: (options) => {
    const agent = options["membank.mode"] === "agent";
    return { tools: agent ? ["wikipedia"] : [], agent };
  },
  plan: (options) =>
    callPlan(options, {
      perUnit: (history) => {
        const buckets = bucketsOf(history, cutOf(options)).length;
        return buckets === 0 ? {} : { summary: fixedCalls(2 * buckets + 2) };
      },
      perQuestion: () => ({
        ...selectionCalls(options),
        answer: options["membank.mode"] === "direct" ? fixedCalls(1) : agentCalls(options),
      }),
    }),
  check(options) {
    if (options.select?.selector.scores === undefined && options.select && options["membank.forget"] !== "off")
      throw new UsageError(
        `membank.forget weighs similarities, and select=${options.select.selector.name} has none; leave one of them out`,
      );
  },
  sequential: (options) => options["membank.reinforce"],
};

const cutOf = (options: Options<typeof membank.options>): Cut => ({
  by: options["membank.bucket"],
  most: options["membank.maxBuckets"],
  maxWords: options["events.maxWords"],
});

interface Summaries {
  readonly buckets: readonly SummarizedBucket[];
  /** The overview of all events and the profile of the user; empty for an empty history. */
  readonly history: string;
  readonly profile: string;
}

/** Writes all summaries of a bank: two per bucket, side by side, then two global ones. */
async function summarizeBank(buckets: readonly Bucket[], show: (event: Event) => string, kit: Kit): Promise<Summaries> {
  if (buckets.length === 0) return { buckets: [], history: "", profile: "" };
  const summaryOf = (request: AskRequest, material: string): Promise<string> =>
    summaryOrFallback(request, material, kit, "membank-summary-fallback");
  const written = await Promise.all(
    buckets.map(async ({ name, events }) => {
      const lines = events.map(show).join("\n");
      const words = eventNouns(kit.task, events);
      const [summary, preferences] = await Promise.all([
        summaryOf(eventSummaryRequest(name, lines, words), lines),
        summaryOf(preferenceSummaryRequest(name, lines, words), lines),
      ]);
      return { name, events, summary, preferences };
    }),
  );
  const events = written.map(({ name, summary }) => ({ name, text: summary }));
  const preferences = written.map(({ name, preferences }) => ({ name, text: preferences }));
  const allWords = eventNouns(
    kit.task,
    buckets.flatMap(({ events }) => events),
  );
  const [history, profile] = await Promise.all([
    summaryOf(globalEventsRequest(events), namedTexts(events)),
    summaryOf(globalPreferencesRequest(preferences, allWords), namedTexts(preferences)),
  ]);
  const noted = written.map(({ events, ...bucket }) => ({ ...bucket, events: events.map(({ id }) => id) }));
  kit.note({ kind: "bank", data: { buckets: noted, history, profile } });
  return { buckets: written, history, profile };
}
