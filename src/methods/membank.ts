import { AGENT_SYSTEM_PROMPT, runAgent } from "../agent/loop.js";
import { agentOptions } from "../agent/options.js";
import { wikiOptions } from "../agent/tools/wikipedia.js";
import { UsageError } from "../errors.js";
import {
  bankSystemPrompt,
  bucketLines,
  eventSummaryRequest,
  globalEventsRequest,
  globalPreferencesRequest,
  preferenceSummaryRequest,
} from "../memory/bank-prompts.js";
import { type Bucket, bucketsOf, MAX_BUCKETS } from "../memory/buckets.js";
import { eventOptions, memoryOptions } from "../memory/episodic.js";
import { type BankSettings, memoryBank, type SummarizedBucket, shownHits } from "../memory/memory-bank.js";
import { noteMemory } from "../notes/note.js";
import { choice, counted, flag } from "../registry/options.js";
import { selectionCalls, sharedSelectionCalls } from "../selectors/open.js";
import { selectOptions } from "../selectors/select-option.js";
import { cutWords } from "../text/words.js";
import type { Answerer, AskRequest, Event, Kit, Method, Options, OptionTable } from "../types/index.js";
import { answer, writtenOr } from "./answer.js";
import { listedBy, listedWords } from "./pag-summary.js";
import { agentCalls, wikipediaOf } from "./react.js";

/** Knobs of `membank` (METHODS 6.2). */
export const membankOptions = {
  "membank.mode": choice({
    default: "agent",
    of: ["agent", "direct"],
    help: "agent: memories in the system prompt and the Wikipedia tool in the loop; direct: one call",
  }),
  "membank.bucket": counted({
    default: "date",
    plain: ["date", "month", "year"],
    counted: ["chunk"],
    help: "which events are summarized together (MemoryBank: a day)",
  }),
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
  "memory.kind": memoryOptions["memory.kind"],
  ...selectOptions,
  ...agentOptions,
  ...wikiOptions,
} satisfies OptionTable;

type MembankOptions = Options<typeof membankOptions>;

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
    const show = shownBy(unitKit, options["events.maxWords"]);
    const past = bucketsOf(user.history, options["membank.bucket"], MAX_BUCKETS);
    const line = listedBy(unitKit.task);
    const listed = (event: Event): string =>
      line({ ...event, content: cutWords(event.content, options["events.maxWords"]) });
    const summaries = await summarizeBank(past, listed, unitKit);
    const bank = await memoryBank(
      summaries.buckets,
      bankSettings(options, show, unitKit),
      unitKit.embedder,
      unitKit.random("bank"),
    );
    const history = options["membank.includeGlobalSummary"] ? summaries.history : "";
    const buckets = [...summaries.buckets];
    let known = user.history.length;
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
      const [fresh] = bucketsOf([event], options["membank.bucket"], 1, known++);
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
      const buckets = bucketsOf(history, options["membank.bucket"], MAX_BUCKETS).length;
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
    ...(select === undefined ? {} : { selector: { select, options, kit: unitKit } }),
    retriever: options["memory.kind"],
    forgetting: options["membank.forget"],
    rule: options["membank.forgetRule"],
    reinforce: options["membank.reinforce"],
    show,
  };
}

interface Summaries {
  readonly buckets: readonly SummarizedBucket[];
  /** The overview of all events and the profile of the user; empty for an empty history. */
  readonly history: string;
  readonly profile: string;
}

/** Writes all summaries of a bank: two per bucket, side by side, then two global ones. */
async function summarizeBank(buckets: readonly Bucket[], show: (event: Event) => string, kit: Kit): Promise<Summaries> {
  if (buckets.length === 0) return { buckets: [], history: "", profile: "" };
  const words = (events: readonly Event[]) => listedWords(kit.task, events);
  const written = await Promise.all(
    buckets.map(async (bucket) => {
      const lines = bucketLines(bucket, show);
      const [summary, preferences] = await Promise.all([
        summaryOf(eventSummaryRequest(bucket.name, lines, words(bucket.events)), lines, kit),
        summaryOf(preferenceSummaryRequest(bucket.name, lines, words(bucket.events)), lines, kit),
      ]);
      return { ...bucket, summary, preferences };
    }),
  );
  const preferences = written.map(({ name, preferences }) => ({ name, summary: preferences }));
  const [history, profile] = await Promise.all([
    summaryOf(globalEventsRequest(written), joined(written), kit),
    summaryOf(
      globalPreferencesRequest(preferences, words(buckets.flatMap(({ events }) => events))),
      joined(preferences),
      kit,
    ),
  ]);
  const noted = written.map(({ name, events, summary, preferences }) => ({
    name,
    events: events.map(({ id }) => id),
    summary,
    preferences,
  }));
  kit.note({ kind: "bank", data: { buckets: noted, history, profile } });
  return { buckets: written, history, profile };
}

const joined = (summaries: readonly { readonly summary: string }[]): string =>
  summaries.map(({ summary }) => summary).join("\n");

const summaryOf = (request: AskRequest, material: string, kit: Kit): Promise<string> =>
  writtenOr(request, material, kit, "membank-summary-fallback");
