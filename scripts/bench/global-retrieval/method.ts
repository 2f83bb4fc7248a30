import { poolOf } from "../../../src/data/others.js";
import { graphMemory } from "../../../src/memory/graph/graph-memory.js";
import { type GraphSettings, graphOptions } from "../../../src/memory/graph/options.js";
import { openView } from "../../../src/memory/graph/semantic-context.js";
import { openSharedGraph } from "../../../src/memory/graph/shared-graph.js";
import { complete, readOptions } from "../../../src/options.js";
import { seeded } from "../../../src/random/seeded.js";
import type { TfIdfSettings } from "../../../src/retrievers/tf-idf-terms.js";
import { tasks } from "../../../src/tasks/index.js";
import { englishStopWords } from "../../../src/text/stop-words.js";
import type { Event, OthersPool, Question } from "../../../src/types.js";
import { corpus, queries } from "./corpus.js";

/** What graph-rag retrieves for one question, in milliseconds, and the same query put to the index alone. */
export interface MethodTimes {
  readonly name: string;
  readonly buildSeconds: number;
  /** Opening one user's view with a history of 100 events. */
  readonly openMs: readonly number[];
  readonly indexMs: readonly number[];
  readonly contextMs: readonly number[];
  readonly communities: number;
}

/** Runs graph-rag's own retrieval, with default knobs and dated questions, over a pool of so many events. */
export async function measureMethod(documents: number, asked: number): Promise<MethodTimes[]> {
  const events = [...pooled(documents)];
  const askers = queries(asked, documents);
  const pool = poolOf(events, { kind: "training users", askers: askers.map(({ owner }) => owner), dated: true });
  const found: MethodTimes[] = [];
  for (const mode of modes) found.push(await measureMode(mode, pool, askers));
  return found;
}

interface Mode {
  readonly name: string;
  readonly tfIdf: TfIdfSettings;
  readonly communities: boolean;
  readonly asTool?: true;
}

const modes: readonly Mode[] = [
  { name: "community", tfIdf: { stopWords: englishStopWords }, communities: true },
  { name: "released", tfIdf: { stopWords: englishStopWords, maxFeatures: 1000 }, communities: false },
  { name: "graph_memory tool", tfIdf: { stopWords: englishStopWords }, communities: true, asTool: true },
];

const USERS = 20;
const HISTORY = 100;
const LABELS = tasks.get("lamp2n").labels;

async function measureMode(mode: Mode, pool: OthersPool, askers: ReturnType<typeof queries>): Promise<MethodTimes> {
  const task = tasks.get("lamp2n");
  const settings = readOptions(graphOptions, complete(graphOptions, { "graph.asOf": "run" }));
  const kept = new Map<string, Promise<unknown>>();
  const shared = <T>(key: string, build: () => Promise<T>): Promise<T> => {
    const value = (kept.get(key) ?? build()) as Promise<T>; // one builder per key, so one type per key
    kept.set(key, value);
    return value;
  };
  const embedder = { id: "none", dimensions: 0, embed: async () => [] };
  const start = performance.now();
  const kit = { task, others: pool, embedder, shared, runRandom: (label: string) => seeded(label) };
  const graph = await openSharedGraph(settings, mode.tfIdf, kit);
  const buildSeconds = (performance.now() - start) / 1000;
  const times = { openMs: [] as number[], indexMs: [] as number[], contextMs: [] as number[] };
  for (const [place, { owner, text }] of askers.entries()) {
    const history = pool.events.filter((_event, index) => index % USERS === place % USERS).slice(0, HISTORY);
    const user = { id: owner, history: history.map(({ event }) => event) };
    const view = await timed(times.openMs, async () => {
      const opened = await openView(user, graph, settings, pool);
      await opened.context("w1", questionOf(place, "w1"), { kUser: 1, kGlobal: 0, communities: 0, topicalOnly: true });
      return opened;
    });
    const question = questionOf(place, named(text));
    const unseen = { owner, contents: [question.content], hidden: () => false };
    await timed(times.indexMs, () =>
      graph.similarity.global(question.content, settings["graph-rag.kGlobal"], 0, unseen),
    );
    await timed(times.contextMs, () => retrieve(mode, view, question, settings));
  }
  return { name: mode.name, buildSeconds, ...times, communities: graph.communities.found };
}

async function retrieve(
  mode: Mode,
  view: Awaited<ReturnType<typeof openView>>,
  question: Question,
  settings: GraphSettings,
): Promise<void> {
  if (mode.asTool === true) {
    await graphMemory(view, question, settings, tasks.get("lamp2n")).recall(question.content);
    return;
  }
  await view.context(question.content, question, {
    kUser: settings["graph-rag.kUser"],
    kGlobal: settings["graph-rag.kGlobal"],
    communities: mode.communities ? settings["graph-rag.communities"] : 0,
    topicalOnly: mode.communities,
  });
}

function* pooled(documents: number): Generator<{ owner: string; event: Event }> {
  let number = 0;
  for (const { owner, text } of corpus(documents)) {
    const document = named(text);
    const label = LABELS[number % LABELS.length]!;
    const id = String(number);
    const date = `201${number % 10}-0${1 + (number % 9)}-01`;
    yield { owner, event: { id, date, fields: { id }, content: document, document, label } };
    number++;
  }
}

const questionOf = (place: number, content: string): Question => ({
  id: `q${place}`,
  text: content,
  content,
  query: content,
  date: "2018-06-01", // four of five events are visible
});

/** Every seventh word of the vocabulary as a proper name, so that there are concepts to find. */
const named = (text: string): string =>
  text.replace(/w(\d+)/g, (word, rank) => (Number(rank) % 7 === 6 ? `N${letters(Number(rank))}` : word));

const letters = (rank: number): string =>
  [...String(rank)].map((digit) => String.fromCharCode("a".charCodeAt(0) + Number(digit))).join("");

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const value = await work();
  times.push(performance.now() - start);
  return value;
}
