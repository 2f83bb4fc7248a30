/**
 * `npm run bench -- learn`: what one learned event costs of the processor, over the length of the past: added to the index beside the index built
 * again, alone and with the next ranking, as ratios in one run; and learning alone, one user of 1,000 questions beside 100 users of 10.
 * Hits of both ways are compared to the last bit. Exits with 1 where they differ or the goal is missed.
 */
import { hashed1 } from "../../src/embedders/hashed-1.js";
import { similarities } from "../../src/memory/graph/similarities.js";
import { seeded } from "../../src/random/seeded.js";
import { growingSearch } from "../../src/retrievers/growing-search.js";
import { retrievers } from "../../src/retrievers/index.js";
import { pySplit } from "../../src/text/python.js";
import { englishStopWords } from "../../src/text/stop-words.js";
import type { Event, Random } from "../../src/types.js";

const LENGTHS = [100, 200, 400, 800, 1600];
/** Events learned and ranked at each length. */
const STEPS = 40;
const ROUNDS = 5;
const GOAL = 3;

/** Something that is searched and learns. */
interface Memory {
  learn(event: Event): Promise<void>;
  find(query: string): Promise<unknown>;
}

/** Opens a memory of these events. */
type Open = (events: readonly Event[]) => Promise<Memory>;

export async function main(): Promise<void> {
  const random = seeded("learn bench");
  const events = texts(random, LENGTHS.at(-1)! + STEPS);
  const kinds = await memories(texts(random, 500));
  let ok = true;
  for (const [name, open] of kinds) {
    console.log(`\n${name}: microseconds per learned event (learned + ranked: with one search behind it)`);
    console.log(row("past", "added", "rebuilt", "ratio", "added + ranked", "rebuilt + ranked", "ratio"));
    for (const length of LENGTHS) {
      const { line, same } = await step(open, events.slice(0, length), events.slice(length, length + STEPS));
      console.log(`${line}${same ? "" : "  HITS DIFFER"}`);
      ok &&= same;
    }
  }
  console.log(
    "\nlearning alone, 1,000 events: one user of 1,000 beside 100 users of 10, medians of 5 alternating runs",
  );
  for (const [name, open] of kinds) {
    const ratio = await oneBesideMany(open, events.slice(0, 1000));
    const met = ratio <= GOAL;
    console.log(`${met ? "ok    " : "MISSED"} ${name}: ${ratio.toFixed(2)}x (goal ${GOAL}x)`);
    ok &&= met;
  }
  if (!ok) process.exitCode = 1;
}

async function memories(others: readonly Event[]): Promise<[string, Open][]> {
  const pool = others.map((event, place) => ({ owner: `u${place % 20}`, event }));
  const graph = async (weighting: keyof typeof similarities, known: typeof pool): Promise<Open> => {
    const tfIdf = { stopWords: englishStopWords };
    const shared = <T>(_key: string, build: () => Promise<T>): Promise<T> => build();
    const similarity = await similarities[weighting](known, { embedder: hashed1, tfIdf, shared });
    return async (events) => {
      const search = await similarity.own(events);
      return { learn: search.add, find: (query) => search(query, 4, 0) };
    };
  };
  const ranked = (name: string): [string, Open] => [name, (events) => retrieved(name, events)];
  return [
    ...["bm25", "tf-idf", "dense"].map(ranked),
    ["graph, own events weighed by others'", await graph("tfidf", pool)],
    ["graph, own events alone", await graph("tfidf", [])],
    ["graph, dense", await graph("dense", pool)],
  ];
}

async function retrieved(name: string, events: readonly Event[]): Promise<Memory> {
  const kit = { tokenize: pySplit, embedder: hashed1, random: seeded("unused") };
  const search = await growingSearch(retrievers.get(name), events, ({ document }) => ({ text: document }), kit);
  return {
    learn: (event) => search.add(event, kit),
    find: async (query) => (await search(query, 4)).map(({ item, score }) => [item.id, score]),
  };
}

/** One length of the curve. Every step is taken both ways, one behind the other, and timed apart. */
async function step(open: Open, past: readonly Event[], learned: readonly Event[]) {
  const times = { add: [] as number[], build: [] as number[], addRank: [] as number[], buildRank: [] as number[] };
  const memory = await open(past);
  const known = [...past];
  let same = true;
  for (const event of learned) {
    const query = event.content.slice(0, 400);
    known.push(event);
    const add = await timed(() => memory.learn(event));
    const rank = await timed(() => memory.find(query));
    const build = await timed(() => open(known));
    const rankBuilt = await timed(() => build.value.find(query));
    same &&= JSON.stringify(rank.value) === JSON.stringify(rankBuilt.value);
    times.add.push(add.us);
    times.build.push(build.us);
    times.addRank.push(add.us + rank.us);
    times.buildRank.push(build.us + rankBuilt.us);
  }
  const [add, build, addRank, buildRank] = [times.add, times.build, times.addRank, times.buildRank].map(median);
  const us = (value = 0): string => value.toFixed(0);
  const ratio = (slow = 0, fast = 1): string => `${(slow / fast).toFixed(1)}x`;
  const cells = [us(add), us(build), ratio(build, add), us(addRank), us(buildRank), ratio(buildRank, addRank)];
  return { line: row(String(past.length), ...cells), same };
}

/** The processor time of learning by one user, over that by many users; the indexes start empty and nothing is ranked. */
async function oneBesideMany(open: Open, events: readonly Event[]): Promise<number> {
  const learnAll = async (users: number): Promise<number> => {
    const each = events.length / users;
    const opened = await Promise.all(Array.from({ length: users }, () => open([])));
    const start = process.cpuUsage().user;
    for (const [user, memory] of opened.entries())
      for (const event of events.slice(user * each, (user + 1) * each)) await memory.learn(event);
    return process.cpuUsage().user - start;
  };
  const [one, many]: [number[], number[]] = [[], []];
  await learnAll(1); // warm-up
  await learnAll(100);
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await learnAll(1));
    many.push(await learnAll(100));
  }
  return median(one) / median(many);
}

/** Events of 20 to 200 words, word frequencies falling as rank^-1. */
function texts(random: Random, count: number): Event[] {
  const word = (): string => `w${Math.floor(20_000 ** random.next())}`;
  return Array.from({ length: count }, (_, place) => {
    const content = Array.from({ length: 20 + random.below(180) }, word).join(" ");
    return { id: String(place), fields: { id: String(place) }, content, document: content };
  });
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; us: number }> {
  const start = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(start);
  return { value, us: user + system };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const row = (...cells: readonly string[]): string => cells.map((cell) => cell.padStart(17)).join("");
