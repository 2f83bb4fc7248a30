import { describe, expect, test } from "vitest";
import { writtenReport } from "../../../src/memory/graph/report.js";
import { openView, type Wanted } from "../../../src/memory/graph/semantic-context.js";
import { openPoolGraph } from "../../../src/memory/graph/shared-graph.js";
import { englishStopWords } from "../../../src/text/tokens.js";
import type { Event, OptionValue, Question } from "../../../src/types/index.js";
import { fakeKit } from "../../helpers/kit.js";
import { article, asked, news, pool, settings } from "./graph-fixtures.js";

const wanted: Wanted = { kUser: 3, kGlobal: 10, communities: 2, topicalOnly: true };
const TEXT = "Parkland march in Florida";

interface Case {
  readonly user?: string;
  readonly history?: readonly Event[];
  readonly question?: Question;
  readonly others?: typeof pool;
  readonly given?: Record<string, OptionValue>;
}

async function contextOf({ user = "zoe", history = [], question = asked("q", TEXT), others = pool, given = {} }: Case) {
  const { kit } = fakeKit({ task: news, script: [], others });
  const knobs = settings(given);
  const shared = await openPoolGraph(knobs, { stopWords: englishStopWords }, kit);
  const view = await openView({ id: user, history }, shared, kit.others);
  return { ...(await view.context(question.content, question, wanted)), view, shared };
}
const ids = (found: readonly { readonly event: Event }[]): string[] => found.map(({ event }) => event.id);

describe.each(["tfidf", "dense"])("retrieval with graph-rag.weighting=%s", (weighting) => {
  const given = { "graph-rag.weighting": weighting };

  test("global hits are the similar events of other users, best first", async () => {
    const { global } = await contextOf({ given });
    expect(ids(global).toSorted()).toEqual(expect.arrayContaining(["a1", "b1"]));
    const similarities = global.map(({ similarity }) => similarity);
    expect(similarities).toEqual(similarities.toSorted((a, b) => b - a));
  });

  test("global hits are never the user's own, even where the pool holds them", async () => {
    const open = await contextOf({ given });
    expect(open.global.some(({ owner }) => owner === "ann")).toBe(true);
    const own = await contextOf({ given, user: "ann" });
    expect(own.global.length).toBeGreaterThan(0);
    expect(own.global.filter(({ owner }) => owner === "ann")).toEqual([]);
  });

  test("a leaky pool is no way round: the owner is refused by the search itself", async () => {
    const { kit } = fakeKit({ task: news, script: [], others: pool });
    const knobs = settings(given);
    const shared = await openPoolGraph(knobs, {}, kit);
    const leaky = { ...kit.others, visibleTo: () => () => true };
    const view = await openView({ id: "ann", history: [] }, shared, leaky);
    const { global } = await view.context(TEXT, asked("q", TEXT), wanted);
    expect(global.length).toBeGreaterThan(0);
    expect(global.filter(({ owner }) => owner === "ann")).toEqual([]);
  });

  test("a twin of the question is never found, whatever its case and spacing, whoever wrote it", async () => {
    const twin = { owner: "dan", event: article("twin", `  ${TEXT.toUpperCase()}\n`, "crime") };
    const near = { owner: "dan", event: article("near", `${TEXT} again`, "crime") };
    const { global } = await contextOf({ given, others: [...pool, twin, near] });
    expect(ids(global)[0]).toBe("near");
    expect(ids(global)).not.toContain("twin");
    const other = await contextOf({ given, others: [...pool, twin, near], question: asked("q", `${TEXT} again`) });
    expect(ids(other.global)[0]).toBe("twin");
  });

  test("a twin stays hidden when an agent searches in other words", async () => {
    const twin = { owner: "dan", event: article("twin", TEXT, "crime") };
    const { view } = await contextOf({ given, others: [...pool, twin] });
    const { global } = await view.context("Parkland", asked("q", TEXT), wanted);
    expect(global.length).toBeGreaterThan(0);
    expect(ids(global)).not.toContain("twin");
  });

  test("what is later than a dated question is not found", async () => {
    const { global } = await contextOf({ given, question: asked("q", TEXT, "2018-01-15") });
    expect(ids(global)[0]).toBe("a1");
    expect(global.filter(({ event }) => (event.date ?? "") > "2018-01-15")).toEqual([]);
  });
});

describe("a view of the graph", () => {
  test("never walks the pool for a question: it asks only about what it looks at", async () => {
    const { kit } = fakeKit({ task: news, script: [], others: pool });
    const shared = await openPoolGraph(settings(), { stopWords: englishStopWords }, kit);
    const closed = {
      ...kit.others,
      eventsFor: () => {
        throw new Error("the whole pool was walked");
      },
    };
    const view = await openView({ id: "zoe", history: [] }, shared, closed);
    const { global, communities } = await view.context(TEXT, asked("q", TEXT), wanted);
    expect([global.length > 0, communities.length > 0]).toEqual([true, true]);
  });

  test("is refused with another pool than the graph was built of", async () => {
    const { kit } = fakeKit({ task: news, script: [], others: pool });
    const shared = await openPoolGraph(settings(), { stopWords: englishStopWords }, kit);
    const other = fakeKit({ task: news, script: [], others: pool.toReversed() }).kit.others;
    await expect(openView({ id: "zoe", history: [] }, shared, other)).rejects.toThrow(/another pool/);
  });
});

describe("the semantic context", () => {
  const history = [
    article("h1", "Florida beaches", "travel"),
    article("h2", "Women march", "women"),
    article("h3", "Women vote", "women"),
  ];

  test("own hits come from the history alone, preferences are its shares", async () => {
    const { own, preferences, interactions } = await contextOf({ history });
    expect(ids(own)).toEqual(["h2", "h1"]); // in the pool, march is rarer than Florida
    expect(preferences).toEqual([
      { label: "women", share: 2 / 3 },
      { label: "travel", share: 1 / 3 },
    ]);
    expect(interactions).toBe(3);
  });

  test("a word that only this user has is found in the user's own past", async () => {
    const { own, global } = await contextOf({
      history: [article("h4", "A quokka", "travel")],
      question: asked("q", "quokka"),
    });
    expect(ids(own)).toEqual(["h4"]);
    expect(global).toEqual([]);
  });

  test("one user's history changes nothing of what another finds", async () => {
    const { kit } = fakeKit({ task: news, script: [], others: pool });
    const shared = await openPoolGraph(settings(), { stopWords: englishStopWords }, kit);
    const look = async () => {
      const view = await openView({ id: "zoe", history }, shared, kit.others);
      return view.context(TEXT, asked("q", TEXT), wanted);
    };
    const before = await look();
    const other = await openView({ id: "dan", history: [] }, shared, kit.others);
    await other.learn(article("d1", TEXT, "crime"));
    expect(ids((await other.context(TEXT, asked("q2", "x"), wanted)).own)).toEqual(["d1"]);
    expect(await look()).toEqual(before);
  });

  test("communities are those of the question, counted over what the asker may see", async () => {
    const given = { "graph.asOf": "run" };
    const { communities } = await contextOf({ given });
    expect(communities.map(({ report }) => [report.title, report.interactions])).toEqual([["Florida, Parkland", 3]]);
    expect(communities[0]?.partial).toBe(false);
    const early = await contextOf({ given, question: asked("q", TEXT, "2018-01-15") });
    expect(early.global.filter(({ event }) => (event.date ?? "") > "2018-01-15")).toEqual([]);
    expect(early.communities.map(({ report, partial }) => [report.interactions, partial])).toEqual([[1, true]]);
    const before = await contextOf({ given, question: asked("q", TEXT, "2017-01-01") });
    expect(before.communities).toEqual([]);
  });

  test("at a date, weights and communities are made of nothing later, as if there were nothing later", async () => {
    const day = "2018-01-15";
    const dated = asked("q", TEXT, day);
    const early = pool.filter(({ event }) => (event.date ?? "") <= day);
    expect(early.length).toBeLessThan(pool.length);
    const bare = async (others: typeof pool, given: Record<string, OptionValue>) => {
      const { global, concepts, communities, within } = await contextOf({ question: dated, others, given });
      return { global, concepts, communities, size: within.graph.events.length };
    };
    expect(await bare(pool, {})).toEqual(await bare(early, {}));
    expect((await bare(pool, { "graph.asOf": "run" })).size).toBe(pool.length);
    expect((await bare(pool, { "graph.asOf": "year" })).size).toBeLessThan(early.length);
  });
});

describe("a written report", () => {
  const run = async (reply: string) => {
    const armKit = fakeKit({ task: news, script: () => reply, others: pool });
    const shared = await openPoolGraph(settings(), {}, armKit.kit);
    const [community] = shared.communities.kept;
    const ask = (user: string) => writtenReport(community!, shared, armKit.user(user).kit);
    const [report] = await Promise.all([ask("u1"), ask("u2")]);
    return { armKit, report };
  };

  test("takes one summary call, once per arm", async () => {
    const { armKit, report } = await run('```json\n{"title": "Guns", "summary": "About laws."}\n```');
    expect(armKit.phases()).toEqual({ summary: 1 });
    expect(armKit.calls[0]?.text).toContain("Florida, Parkland: 3 articles by 2 users");
    expect(report).toEqual({ title: "Guns", summary: "About laws." });
  });

  test("is the reply where that is no JSON, cut to 200 words; an empty one leaves the computed report", async () => {
    expect((await run("word ".repeat(300))).report?.summary.split(" ")).toHaveLength(200);
    expect((await run(" ")).report).toBeUndefined();
  });
});
