import { choice, integer } from "../options.js";
import { cutWords } from "../text/words.js";
import type { Event, Kit, Method, OptionTable, Question } from "../types.js";
import { answer } from "./answer.js";
import { type Demo, type DemoRanking, nearestDemos, randomDemos } from "./demos.js";

const options = {
  "icl.k": integer({ default: 4, min: 1, help: "demonstrations per question" }),
  "icl.select": choice({
    default: "random",
    of: ["random", "kate"],
    help: "random: the same draw for the whole run; kate: nearest to the question by the run's embedder",
  }),
  "icl.order": choice({
    default: "nearest-first",
    of: ["nearest-first", "nearest-last"],
    help: "nearest-last puts the best demonstration right before the question",
  }),
  "icl.pool": choice({
    default: "other-users",
    of: ["other-users"],
    help: "whose labelled events are shown; the user's own would make it rag",
  }),
  "icl.demoMaxWords": integer({ default: 200, help: "cut each demonstration's item to so many words; 0 = whole" }),
} satisfies OptionTable;

const rankings: Readonly<Record<"random" | "kate", DemoRanking>> = { random: randomDemos, kate: nearestDemos };

export const icl: Method<typeof options> = {
  name: "icl",
  summary: "answered questions of other users in front of the question",
  source: "Liu et al. 2022 (KATE); METHODS 2",
  unfit: ({ dialogue, unlabelled }) =>
    dialogue === true || unlabelled === true
      ? "its demonstrations are answered questions of other users, and this task's data have none"
      : undefined,
  options,
  async personalize(user, options) {
    const rank = rankings[options["icl.select"]];
    return async (question, kit) => {
      const pool = kit.others.eventsFor(user.id, question.date).filter(({ event }) => event.label !== undefined);
      if (pool.length === 0) kit.count("fallback=prompt");
      const best = await rank(pool, question, options["icl.k"], kit);
      const demos = options["icl.order"] === "nearest-first" ? best : best.toReversed();
      kit.note({ kind: "demos", data: demos.map(({ owner, event }) => ({ owner, id: event.id })) });
      const shown = demos.map(({ event }) => demonstration(event, question, options["icl.demoMaxWords"], kit));
      return answer(kit, [...shown, question.text].join("\n\n"));
    };
  },
  plan: () => ({
    perUnit: () => ({}),
    perQuestion: () => ({ answer: { low: 1, high: 1 } }),
  }),
  usesOthers: () => "labelled",
};

/** The question this event would have been and its answer; the answer alone where the task cannot pose it. */
function demonstration(event: Demo["event"], like: Question, maxWords: number, { task }: Kit): string {
  const short: Event = { ...event, content: cutWords(event.content, maxWords) };
  const posed = task.pose(short, like);
  return posed === undefined ? cutWords(event.label ?? "", maxWords) : `${posed.text}\n${event.label}`;
}
