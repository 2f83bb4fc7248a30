import { describe, expect, test } from "vitest";
import { bucketsOf } from "../../src/memory/buckets.js";
import { type BankSettings, formatHits, memoryBank } from "../../src/memory/memory-bank.js";
import { fakeKit } from "../helpers/kit.js";
import { ask, movies } from "../methods/workflow-fixtures.js";
import { event } from "./event-case.js";

const history = [
  event("old", "2020-01-01", "robots in love", "romance"),
  event("new", "2020-12-27", "robots in love again", "comedy"),
  event("far", "2020-12-28", "a quiet village", "classic"),
];
const buckets = bucketsOf(history, { by: { kind: "date", count: 0 }, most: 0, maxWords: 0 }).map((bucket) => ({
  ...bucket,
  summary: `summary ${bucket.events[0]!.date!.replaceAll("-", "")}`,
}));
const settings: BankSettings = {
  forgetting: "off",
  rule: { kind: "rank", count: 0 },
  reinforce: false,
  show: ({ content }) => content,
  selectorOptions: {},
};
const armKit = fakeKit({ task: movies, script: [] });
const asked = { question: ask("q", ""), kit: armKit.question("q") };
const open = (change: Partial<BankSettings> = {}) => memoryBank(buckets, { ...settings, ...change }, armKit.kit);
const ids = (hits: Awaited<ReturnType<Awaited<ReturnType<typeof open>>["recall"]>>) =>
  hits.map((hit) => hit.event?.id ?? hit.text);

describe("the memory bank", () => {
  test("recalls events and summaries by similarity", async () => {
    const bank = await open();
    expect(ids(await bank.recall("robots in love", 2, "2021-01-01", asked))).toEqual(["old", "new"]);
    expect(ids(await bank.recall("summary 20201228", 1, undefined, asked))).toEqual(["summary 20201228"]);
  });

  test("ranks by similarity times retention when it forgets, and deletes nothing", async () => {
    const bank = await open({ forgetting: "paper" });
    const hits = await bank.recall("robots in love", 6, "2021-01-01", asked);
    expect(ids(hits)[0]).toBe("new");
    expect(hits).toHaveLength(6);
    expect(ids(await bank.recall("robots in love", 1, undefined, asked))).toEqual(["old"]);
  });

  test("drops what is below the threshold, a summary with the last of its events", async () => {
    const bank = await open({ forgetting: "paper", rule: { kind: "threshold", count: 0.05 } });
    const all = ids(await bank.recall("robots", 6, "2021-01-01", asked));
    expect(all).toHaveLength(4);
    expect(all).not.toContain("old");
    expect(all).not.toContain("summary 20200101");
  });

  test("sampled forgetting is the same at every call, and what is forgotten stays so", async () => {
    const bank = await open({ forgetting: "paper", rule: { kind: "sample", count: 0 } });
    const at = async (now: string) => new Set(ids(await bank.recall("robots", 6, now, asked)));
    const early = await at("2021-01-01");
    expect(await at("2021-01-01")).toEqual(early);
    for (const kept of await at("2021-02-01")) expect(early).toContain(kept);
    expect((await at("2060-01-01")).size).toBe(0);
  });

  test("recall makes a memory new and stronger only where asked to", async () => {
    const score = async (reinforce: boolean) => {
      const bank = await open({ forgetting: "paper", reinforce });
      const first = await bank.recall("a quiet village", 1, "2021-03-01", asked);
      const second = await bank.recall("a quiet village", 1, "2021-03-31", asked);
      return second[0]!.score / first[0]!.score;
    };
    expect(await score(false)).toBeCloseTo(Math.exp(-1), 5);
    // 63 days at strength 1, then 30 days at strength 2.
    expect(await score(true)).toBeCloseTo(Math.exp(-30 / 30 / 2) / Math.exp(-63 / 30), 5);
  });

  test("shows hits bucket by bucket in the order of time, a bucket's summary first", () => {
    const [first, second] = buckets;
    const hits = [
      { bucket: second!.name, event: history[1]!, text: "robots again", score: 3 },
      { bucket: first!.name, event: history[0]!, text: "robots", score: 2 },
      { bucket: second!.name, text: "about robots", score: 1 },
    ];
    expect(formatHits(hits, buckets)).toBe(
      "Memories of 1 January 2020:\nrobots\n\nMemories of 27 December 2020:\nSummary: about robots\nrobots again",
    );
  });
});
