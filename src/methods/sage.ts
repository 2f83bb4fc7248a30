import { AGENT_SYSTEM_PROMPT, runAgent } from "../agent/loop.js";
import { userPreferenceTool } from "../agent/tools/user-preference.js";
import { bucketsOf, growingBuckets, MAX_BUCKETS } from "../memory/buckets.js";
import { episodicMemory } from "../memory/episodic.js";
import { NO_INFORMATION, preferenceRequest } from "../memory/preference-prompts.js";
import { notePreference } from "../notes/note.js";
import { selectionCalls, sharedSelectionCalls } from "../selectors/open.js";
import { pyStrip } from "../text/python.js";
import { cutWords } from "../text/words.js";
import type { Answerer, Event, Kit, Method, Question } from "../types/index.js";
import { answer } from "./answer.js";
import { listedBy } from "./pag-summary.js";
import { agentCalls } from "./react.js";
import { type SageOptions, sageOptions, schemaOf } from "./sage/options.js";
import { openProfiler, reduceCalls, reduceLevels } from "./sage/profile.js";

export const sage: Method<typeof sageOptions> = {
  name: "sage",
  summary: "a profile of preferences, made day by day, that an agent asks",
  source: "SAGE, section 5.1; SAIC-MONTREAL/SAGE at 5f43df0 read for constants; METHODS 10",
  unfit: ({ dialogue }) =>
    dialogue === true ? "its profile is of days that are over, and a dialogue starts without any" : undefined,
  options: sageOptions,
  check: (options, task) => void schemaOf(options["sage.schema"], task),
  async personalize(user, options, unitKit) {
    const { task } = unitKit;
    const line = listedBy(task);
    const show = (event: Event): string =>
      line({ ...event, content: cutWords(event.content, options["events.maxWords"]) });
    const buckets = growingBuckets(user.history, options["sage.bucket"], MAX_BUCKETS);
    const profiler = openProfiler(show, options, task);
    const memory = await episodicMemory(user.history, memorySettings(options), unitKit, unitKit.random("memory"));
    let profile = await profiler.profile(buckets.all(), unitKit);

    const ask = async (query: string, question: Question, kit: Kit) => {
      const found = memory.size === 0 ? [] : await memory.recall(query, { question, kit });
      const events = found.map(({ event }) => event.id);
      if (memory.size === 0) {
        kit.count("fallback=no-memory");
        return { answer: NO_INFORMATION, events };
      }
      const memories = found.map(({ line }) => line);
      const request = preferenceRequest({ user: user.id, profile, memories, query });
      const reply = await kit.ask("tool", request);
      return { answer: (reply.stop === "refusal" ? "" : pyStrip(reply.text)) || NO_INFORMATION, events };
    };
    const answerer: Answerer = (question, kit) =>
      options["sage.mode"] === "direct"
        ? answerDirectly(question, (query) => ask(query, question, kit), kit)
        : answerAsAgent(user.id, question, (query) => ask(query, question, kit), options, kit);
    answerer.learn = async (event, kit) => {
      await memory.add(event, kit, kit.random("memory"));
      buckets.add(event);
      profile = await profiler.profile(buckets.all(), kit);
    };
    return answerer;
  },
  needs: (options) => ({ tools: [], agent: options["sage.mode"] === "agent" }),
  plan: (options) => ({
    perUnit: (history) => {
      const days = bucketsOf(history, options["sage.bucket"], MAX_BUCKETS).length;
      const calls = days + reduceCalls(days);
      return days === 0 ? {} : { summary: { low: calls, high: calls } };
    },
    perQuestion: () => {
      const most = options["sage.mode"] === "direct" ? 1 : options["agent.maxSteps"];
      return {
        ...selectionCalls(options.select, options, most),
        tool: { low: 0, high: most },
        answer: options["sage.mode"] === "direct" ? { low: 1, high: 1 } : agentCalls(options),
      };
    },
    perCell: () => sharedSelectionCalls(options.select, options),
    perLearned: () => ({ summary: { low: 2, high: 1 + reduceLevels(MAX_BUCKETS + MOST_LEARNED) } }),
  }),
};

/** Days that one stream of questions may add, for the bound of what learning costs. */
const MOST_LEARNED = 10_000;

const DIRECT = "Give only the answer, in exactly the form the question asks for.";

type Ask = (query: string) => Promise<{ readonly answer: string; readonly events: readonly string[] }>;

async function answerDirectly(question: Question, ask: Ask, kit: Kit): Promise<string> {
  const { answer: preferences, events } = await ask(question.text);
  notePreference(kit, { query: question.text, events, answer: preferences });
  const role = "You answer on behalf of one user. Follow this user's preferences.";
  return answer(
    kit,
    question.text,
    `${role}\n${DIRECT}\n\nThe user's preferences that bear on the question:\n${preferences}`,
  );
}

async function answerAsAgent(
  user: string,
  question: Question,
  ask: Ask,
  options: SageOptions,
  kit: Kit,
): Promise<string> {
  const hint = `You act for one user, whose name is ${user}. Ask the user_preference tool about this user's preferences before you answer.`;
  const run = await runAgent({
    kit,
    phase: "answer",
    system: `${AGENT_SYSTEM_PROMPT}\n${hint}`,
    question: question.text,
    tools: [userPreferenceTool({ user, ask })],
    settings: options,
  });
  return run.answer;
}

const memorySettings = (options: SageOptions) => ({
  ...options, // the knobs of a selector that it names
  "memory.kind": options["memory.kind"],
  "memory.k": options["sage.k"],
  "events.maxWords": options["events.maxWords"],
  "memory.minScore": undefined,
});
