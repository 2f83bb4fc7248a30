import { eventOptions } from "../memory/episodic.js";
import { choice, integer } from "../registry/options.js";
import { dot } from "../retrievers/dense.js";
import { cutWords } from "../text/words.js";
import type { Event, Kit, Method, OptionTable, PoolEvent, Question } from "../types/index.js";
import { answer, callPlan } from "./calls.js";

/** Gives the key of each event of a pool for a question; the smallest are shown. */
type DemoKeys = (pool: readonly PoolEvent[], question: Question, kit: Kit) => Promise<(index: number) => number>;

/**
 * Draws once for the whole run: every event has its seeded rank. All questions get the same demonstrations, except those that
 * are not in their pool (the user's own events, or later ones); the order of users and questions changes nothing.
 */
const random: DemoKeys = async (pool, _question, kit) => {
  const ranks = await kit.shared("icl.ranks", async () => new WeakMap<Event, number>(), {
    content: String(kit.runRandom("icl.demos").next()), // a seeded stream is known by its first number
  });
  return (index) => {
    const { owner, event } = pool[index]!;
    const rank = ranks.get(event) ?? kit.runRandom(`icl.demos/${owner}/${event.id}`).next();
    ranks.set(event, rank);
    return rank;
  };
};

/** KATE: cosine of the question's item and the event's, by the run's embedder. Each event is embedded once. */
const kate: DemoKeys = async (pool, question, kit) => {
  const vectors = await vectorsOf(pool, kit);
  const [queryVector] = await kit.embedder.embed([question.content]);
  return (index) => -dot(queryVector!, vectors[index]!);
};

/** Returns the `k` demonstrations of the smallest keys, ties in the pool's order, in one pass: pools hold all training events. */
function smallest(pool: readonly PoolEvent[], keyOf: (index: number) => number, k: number): PoolEvent[] {
  const best: { demo: PoolEvent; key: number }[] = [];
  for (const [index, demo] of pool.entries()) {
    const key = keyOf(index);
    const rank = best.findIndex((other) => key < other.key);
    if (rank < 0 && best.length === k) continue;
    best.splice(rank < 0 ? best.length : rank, 0, { demo, key });
    if (best.length > k) best.pop();
  }
  return best.map(({ demo }) => demo);
}

async function vectorsOf(pool: readonly PoolEvent[], kit: Kit): Promise<readonly Float32Array[]> {
  const vectorCache = await kit.shared("icl.vectors", async () => new Map<Event, Promise<Float32Array>>(), {
    content: kit.embedder.id,
  });
  const missing = [...new Set(pool.map(({ event }) => event).filter((event) => !vectorCache.has(event)))];
  if (missing.length > 0) {
    const batch = kit.embedder.embed(missing.map(({ content }) => content));
    for (const [index, event] of missing.entries()) {
      const vector = batch.then((vectors) => vectors[index]!); // one a text
      vectorCache.set(event, vector);
      vector.catch(() => vectorCache.delete(event)); // so that the next question tries again
    }
  }
  return Promise.all(pool.map(({ event }) => vectorCache.get(event)!));
}

const options = {
  "icl.k": integer({ default: 4, min: 1, help: "demonstrations per question" }),
  "icl.select": choice({
    default: "random",
    of: ["random", "kate"],
    help: "random: the same draw for the whole run; kate: nearest to the question by the run's embedder",
  }),
  ...eventOptions,
} satisfies OptionTable;

export const icl: Method<typeof options> = {
  name: "icl",
  summary: "answered questions of other users in front of the question",
  source: "Liu et al. 2022 (KATE); METHODS 2",
  unfit: ({ dialogue, unlabelled }) =>
    dialogue === true || unlabelled === true
      ? "its demonstrations are answered questions of other users, and this task's data have none"
      : undefined,
  options,
  embeds: (options) => options["icl.select"] === "kate",
  async personalize(user, options) {
    const keysOf = { random, kate }[options["icl.select"]];
    return async (question, kit) => {
      const pool = kit.others.eventsFor(user.id, question.date).filter(({ event }) => event.label !== undefined);
      if (pool.length === 0) kit.count("fallback=prompt");
      const demos = smallest(pool, await keysOf(pool, question, kit), options["icl.k"]);
      kit.note({ kind: "demos", data: demos.map(({ owner, event }) => ({ owner, id: event.id })) });
      const demonstrations = demos.map(({ event }) => demonstration(event, question, options["events.maxWords"], kit));
      const opening = demonstrations.map((text) => `${text}\n\n`).join("");
      return answer(kit, opening + question.text, "", opening.length);
    };
  },
  plan: () => callPlan({}),
  usesOthers: () => "labelled",
};

/** Returns the question this event would have been and its answer; the answer alone where the task cannot pose it. */
function demonstration(event: Event, like: Question, maxWords: number, { task }: Kit): string {
  const short: Event = { ...event, content: cutWords(event.content, maxWords) };
  const posed = task.pose(short, like);
  return posed === undefined ? cutWords(event.label ?? "", maxWords) : `${posed.text}\n${event.label}`;
}
