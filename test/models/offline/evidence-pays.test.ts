import { describe, expect, test } from "vitest";
import { seeded } from "../../../src/random/seeded.js";
import { bm25 } from "../../../src/retrievers/bm25.js";
import { tasks } from "../../../src/tasks/index.js";
import { pySplit } from "../../../src/text/python.js";
import type { Embedder, Event } from "../../../src/types/index.js";
import { type Movie, movieHistories, type Viewer } from "./movie-histories.js";
import { eventsOf, movieQuestion, replyTo } from "./requests.js";

const task = tasks.get("lamp2m");
const viewers = movieHistories("evidence pays", 30);

const noEmbedder: Embedder = { id: "none", dimensions: 0, embed: () => Promise.reject(new Error("not used")) };

/** Share of right answers when each question comes with the four best matches of `past` and `prefix`. */
async function accuracy(past: (viewer: Viewer, i: number) => readonly Movie[], prefix: (events: Event[]) => string) {
  let right = 0;
  let count = 0;
  for (const [i, viewer] of viewers.entries()) {
    const events = eventsOf(
      task,
      past(viewer, i).map((movie) => ({ ...movie })),
    );
    const documents = events.map((event) => ({ text: event.document }));
    const search = await bm25.index(documents, { tokenize: pySplit, embedder: noEmbedder, random: seeded("bm25") });
    for (const { description, tag } of viewer.asked) {
      const question = task.question({ id: "q", input: movieQuestion(description) });
      const best = (await search(question.query, 4)).flatMap(({ index }) => events[index] ?? []);
      const prompt =
        best.length === 0 ? question.text : task.styles.lamp?.assemble(question, best, settings(prefix(events)));
      if (replyTo(prompt ?? "").text === tag) right++;
      count++;
    }
  }
  return right / count;
}

const settings = (prefix: string) => ({ prefix, maxTokens: 0 });
const nothing = (): string => "";

/** The same regularities under labels that are all wrong. */
function deranged(viewer: Viewer, i: number): Movie[] {
  const random = seeded(`deranged/${i}`);
  let drawn = random.sample(task.labels, task.labels.length);
  while (drawn.some((label, at) => label === task.labels[at])) drawn = random.sample(task.labels, task.labels.length);
  return viewer.past.map((movie) => ({ ...movie, tag: drawn[task.labels.indexOf(movie.tag)] ?? movie.tag }));
}

describe("on movie histories with personal tastes", async () => {
  const own = (viewer: Viewer) => viewer.past;
  const prompt = await accuracy(() => [], nothing);
  const rag = await accuracy(own, nothing);

  test("the question alone is answered clearly above chance", () => {
    expect(prompt).toBeGreaterThan(2 / task.labels.length);
  });

  test("the viewer's own movies help much", () => {
    expect(rag).toBeGreaterThan(prompt + 0.2);
  });

  test("stated counts beside them do no harm", async () => {
    const counts = await accuracy(own, (events) => `${task.summary.counts?.(events)}\n`);
    expect(counts).toBeGreaterThanOrEqual(rag - 0.02);
  });

  test("wrong labels mislead: at most a fifth of the gain is left", async () => {
    expect(await accuracy(deranged, nothing)).toBeLessThanOrEqual(prompt + 0.2 * (rag - prompt));
  });

  test("another viewer's movies do not help", async () => {
    const next = (_: Viewer, i: number) => viewers[(i + 1) % viewers.length]?.past ?? [];
    expect(await accuracy(next, nothing)).toBeLessThan(rag - 0.2);
  });
});
