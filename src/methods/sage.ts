import { AGENT_SYSTEM_PROMPT, agentOptions, runAgent } from "../agent/loop.js";
import { userPreferenceTool } from "../agent/tools/user-preference.js";
import { UsageError } from "../errors.js";
import { appendableBuckets, bucketOption, bucketsOf, type Cut, maxBucketsOption } from "../memory/buckets.js";
import { episodicMemory, eventOptions } from "../memory/episodic.js";
import { choice, integer, text } from "../registry/options.js";
import { selectionCalls } from "../selectors/open.js";
import { selectOptions } from "../selectors/select-option.js";
import { namesIn } from "../text/words.js";
import type { Answerer, Kit, Method, Options, OptionTable, Question, TaskBrief } from "../types/index.js";
import { answer, askText, callPlan, DIRECT, fixedCalls } from "./calls.js";
import { summaryFormatter } from "./pag-summary.js";
import { agentCalls } from "./react.js";
import { NO_INFORMATION, openProfiler, preferenceRequest, reduceCalls, reduceLevels } from "./sage/profile.js";

/** Options of `sage` (METHODS 10). */
const options = {
  "sage.mode": choice({
    default: "agent",
    of: ["agent", "direct"],
    help: "agent: asks the preference tool what it wants to know; direct: the tool is asked the question once, then one answer",
  }),
  "sage.bucket": bucketOption("which events are summarized together (SAGE: a day)"),
  "sage.maxBuckets": maxBucketsOption(),
  ...eventOptions,
  "sage.schema": text({
    default: "task",
    help: "fields of the profile: task (those of the task), released (SAGE's own), or names with commas between",
  }),
  "sage.k": integer({ default: 5, min: 1, help: "history items that the preference tool is shown (SAGE: 5)" }),
  ...selectOptions,
  ...agentOptions,
} satisfies OptionTable;

export const sage: Method<typeof options> = {
  name: "sage",
  summary: "a profile of preferences, made day by day, that an agent asks",
  source: "SAGE, section 5.1; SAIC-MONTREAL/SAGE at 5f43df0 read for constants; METHODS 10",
  unfit: ({ dialogue }) =>
    dialogue === true ? "its profile is of days that are over, and a dialogue starts without any" : undefined,
  options,
  embeds: ({ select }) => select === undefined || undefined, // undefined: depends on the selector
  check: (options, task) => void schemaOf(options["sage.schema"], task),
  async personalize(user, options, unitKit) {
    const { task } = unitKit;
    const buckets = appendableBuckets(user.history, cutOf(options));
    const profileOf = openProfiler(
      summaryFormatter(task, options["events.maxWords"]),
      schemaOf(options["sage.schema"], task),
      task,
    );
    const memorySettings = { ...options, "memory.k": options["sage.k"] };
    const memory = await episodicMemory(user.history, memorySettings, unitKit);
    let profile = await profileOf(buckets.all(), unitKit);

    const ask = async (query: string, question: Question, kit: Kit) => {
      if (memory.size === 0) {
        kit.count("fallback=no-memory");
        return { answer: NO_INFORMATION, events: [] };
      }
      const found = await memory.recall(query, { question, kit });
      const memories = found.map(({ line }) => line);
      const said = await askText(kit, "tool", preferenceRequest({ user: user.id, profile, memories, query }));
      return { answer: said || NO_INFORMATION, events: found.map(({ event }) => event.id) };
    };
    const answerer: Answerer = async (question, kit) => {
      if (options["sage.mode"] === "direct") {
        const reply = await ask(question.text, question, kit);
        kit.note({ kind: "preference", data: { query: question.text, ...reply } });
        return answer(kit, question.text, `${DIRECT_ROLE}\n${reply.answer}`);
      }
      const hint = `You act for one user, whose name is ${user.id}. Ask the user_preference tool about this user's preferences before you answer.`;
      const run = await runAgent({
        kit,
        phase: "answer",
        system: `${AGENT_SYSTEM_PROMPT}\n${hint}`,
        question: question.text,
        tools: [userPreferenceTool({ user: user.id, ask: (query) => ask(query, question, kit) })],
        settings: options,
      });
      return run.answer;
    };
    answerer.learn = async (event, kit) => {
      await memory.add(event, kit);
      buckets.add(event);
      profile = await profileOf(buckets.all(), kit);
    };
    return answerer;
  },
  needs: (options) => ({ tools: [], agent: options["sage.mode"] === "agent" }),
  plan: (options) => {
    const isDirect = options["sage.mode"] === "direct";
    const most = isDirect ? 1 : options["agent.maxSteps"];
    return callPlan(options, {
      perUnit: (history) => {
        const days = bucketsOf(history, cutOf(options)).length;
        return days === 0 ? {} : { summary: fixedCalls(days + reduceCalls(days)) };
      },
      perQuestion: () => ({
        ...selectionCalls(options, most),
        tool: { low: 0, high: most },
        answer: isDirect ? fixedCalls(1) : agentCalls(options),
      }),
      perLearned: () => ({ summary: { low: 2, high: 1 + reduceLevels(MOST_BUCKETS) } }),
    });
  },
};

const cutOf = (options: Options<typeof sage.options>): Cut => ({
  by: options["sage.bucket"],
  most: options["sage.maxBuckets"],
  maxWords: options["events.maxWords"],
});

/** Days of a history and of what is learned, for the bound of what learning costs. */
const MOST_BUCKETS = 10_000;

const DIRECT_ROLE = `You answer on behalf of one user. Follow this user's preferences.\n${DIRECT}\n\nThe user's preferences that bear on the question:`;

/** Returns the fields of a profile that `sage.schema` names. Throws UsageError where it names none. */
function schemaOf(schema: string, task: TaskBrief): readonly string[] {
  if (schema === "released") return RELEASED;
  if (schema === "task") return task.summary.profileFields ?? [`${task.answerNoun}s`, "topics", "liked", "avoided"];
  const fields = namesIn(schema);
  if (fields.length > 0) return fields;
  throw new UsageError(`sage.schema=${schema}: name the fields of the profile, or use task or released`);
}

/** The fixed schema of SAIC-MONTREAL/SAGE at 5f43df0 (interoperability strings). */
const RELEASED = namesIn("sports,favorite_teams,shows_genre,movie_genre,favorite_shows,favorite_movies,genre_to_avoid");
