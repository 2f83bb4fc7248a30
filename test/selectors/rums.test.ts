import { describe, expect, test } from "vitest";
import { assistant } from "../../src/methods/assistant.js";
import { rag } from "../../src/methods/rag.js";
import { rums } from "../../src/methods/rums.js";
import { sage } from "../../src/methods/sage.js";
import { notesOf } from "../../src/notes/note.js";
import { seeded } from "../../src/random/seeded.js";
import type { Json, TokenLogprob } from "../../src/types/index.js";
import { type FakeKitSettings, fakeKit } from "../helpers/kit.js";
import { ask, knobs, movie, movies, user } from "../methods/workflow-fixtures.js";

/** Events whose texts say how much each of them would lower the entropy. */
const history = ["0.1", "0.4", "0", "0.2"].map((value, at) => movie(`e${at}`, `worth ${value} nats`, "action"));
const BASE = 1;

/** Shares of `yes` and `no` with this entropy, found by halving. */
function shareOf(wanted: number): number {
  let [low, high] = [1e-9, 0.5];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    const found = -middle * Math.log(middle) - (1 - middle) * Math.log(1 - middle);
    if (found < wanted) low = middle;
    else high = middle;
  }
  return low;
}

/** A model whose entropy over two labels is what the prompt's events leave of `base` times ln 2. */
function logprobsFor(text: string, lastLabels: readonly [string, string], base = BASE): TokenLogprob[] {
  const shown = [...text.matchAll(/worth (-?[\d.]+) nats/g)].reduce((sum, [, value]) => sum + Number(value), 0);
  const share = shareOf(Math.max(1e-6, (base - shown) * Math.LN2));
  const top = [lastLabels[0], lastLabels[1]].map((token, at) => ({
    token,
    logprob: Math.log(at === 0 ? 1 - share : share),
  }));
  return [{ token: lastLabels[0], logprob: top[0]!.logprob, top }];
}

const labels = [movies.labels[0]!, movies.labels[1]!] as const;

const sureness: FakeKitSettings = {
  task: movies,
  capabilities: { logprobs: true },
  script: ({ text, request }) =>
    request.logprobs === undefined ? labels[0] : { text: labels[0], logprobs: logprobsFor(text, labels) },
};

async function select(given: Record<string, string | number>, more: Partial<FakeKitSettings> = {}, past = history) {
  const armKit = fakeKit({ ...sureness, ...more });
  const answer = await rums.personalize(user(...past), knobs(rums, given), armKit.kit);
  await answer(ask("q", "worth what"), armKit.question("q"));
  const stored = armKit.notes.map(({ kind, data }) => ({ kind, data: data as Json }));
  const [retrieved = []] = notesOf(stored, "retrieved");
  return { armKit, retrieved, utilities: notesOf(stored, "utilities")[0], selection: notesOf(stored, "selection")[0] };
}

describe("rums", () => {
  test("measures planted utilities and shows what lowers the entropy most", async () => {
    const { utilities, retrieved } = await select({ "rums.maxItems": 2 });
    const single = utilities!.scored.filter(({ events }) => events.length === 1);
    for (const { events, utility } of single)
      expect(utility).toBeCloseTo(
        Number(/[\d.]+/.exec(history.find(({ id }) => id === events[0])!.content)?.[0]) * Math.LN2,
        6,
      );
    expect(utilities).toMatchObject({ entropy: "label", plain: expect.closeTo(Math.LN2, 6) });
    expect([...retrieved].sort()).toEqual(["e1", "e3"]);
  });

  test("planted utilities are recovered over many random pasts", async () => {
    const random = seeded("planted utilities");
    let hits = 0;
    const TRIALS = 20;
    for (let trial = 0; trial < TRIALS; trial++) {
      const values = Array.from({ length: 6 }, () => random.next() * 0.3);
      const past = values.map((value, at) => movie(`e${at}`, `worth ${value.toFixed(4)} nats`, "action"));
      const { retrieved } = await select({ "rums.maxItems": 2, "rums.filterItems": 6 }, {}, past);
      const best = [...values.keys()].sort((a, b) => values[b]! - values[a]!).slice(0, 2);
      if (
        [...retrieved].sort().join() ===
        best
          .map((at) => `e${at}`)
          .sort()
          .join()
      )
        hits += 1;
    }
    expect(hits / TRIALS).toBeGreaterThanOrEqual(0.95);
  });

  test("shows nothing below the threshold, nor where no subset lowers the entropy, and says why", async () => {
    const high = await select({ "rums.threshold": 0.9 });
    expect(high.retrieved).toEqual([]);
    expect(high.selection?.abstained).toMatch(/largest utility 0.* is below 0.9/);
    expect(high.armKit.incidents.get("select-abstained")).toBe(1);
    expect(high.armKit.calls.at(-1)?.text).toBe("Which tag? description: worth what");
    const none = await select({}, {}, [movie("e", "worth 0 nats", "action")]);
    expect(none.selection?.abstained).toBe("no event reduces the entropy of the answer");
  });

  test.each(["greedy", "singletons", "exhaustive"])(
    "an event that makes the answer less sure is never chosen, by %s search",
    async (search) => {
      const script: FakeKitSettings["script"] = ({ text, request }) =>
        request.logprobs === undefined ? labels[0] : { text: labels[0], logprobs: logprobsFor(text, labels, 0.5) };
      const helps = movie("helps", "worth 0.1 nats", "action");
      const hurts = movie("hurts", "worth -0.4 nats", "action");
      const both = await select({ "rums.search": search }, { script }, [hurts, helps]);
      expect(both.retrieved).toEqual(["helps"]);
      const alone = await select({ "rums.search": search }, { script }, [hurts]);
      expect([alone.retrieved, alone.utilities?.best]).toEqual([[], expect.closeTo(-0.4 * Math.LN2, 6)]);
    },
  );

  test("a utility that equals the threshold is shown, and rums.maxItems is the most that is", async () => {
    const best = (await select({ "rums.search": "singletons" })).utilities!.best!;
    expect((await select({ "rums.search": "singletons", "rums.threshold": best })).retrieved).toEqual(["e1"]);
    expect((await select({ "rums.maxItems": 1 })).retrieved).toEqual(["e1"]);
    expect((await select({ "rums.maxItems": 3, "rums.search": "exhaustive" })).retrieved).toHaveLength(3);
  });

  test.each([
    [2, 4, ["e3", "e1"]],
    [4, 1, ["e1"]],
  ])("select=rums in rag shows at most rums.maxItems=%i and at most rag.k=%i", async (maxItems, k, wanted) => {
    const armKit = fakeKit(sureness);
    const settings = knobs(rag, { select: "rums", "rums.maxItems": maxItems, "rag.k": k });
    const answer = await rag.personalize(user(...history), settings, armKit.kit);
    await answer(ask("q", "worth what"), armKit.question("q"));
    expect(armKit.notes.find(({ kind }) => kind === "retrieved")?.data).toEqual(wanted);
  });

  test("shows what helps most where the threshold is negative, though it makes the answer no surer (RUMS, table 6)", async () => {
    const useless = [movie("e", "worth 0 nats", "action")];
    const shown = await select({ "rums.threshold": -100 }, {}, useless);
    expect([shown.retrieved, shown.selection?.abstained]).toEqual([["e"], undefined]);
  });

  test("asks once whether logprobs come; without any it counts sampled answers, and says so", async () => {
    const { armKit, utilities } = await select({}, { script: ({ request }) => `answer ${(request.draw ?? 0) % 2}` });
    expect(utilities).toMatchObject({ entropy: "sample", plain: expect.closeTo(Math.log(2) + 1 / 40, 9) });
    expect([armKit.incidents.get("logprobs-none"), armKit.incidents.get("entropy-of-samples")]).toEqual([1, 1]);
    await expect(select({ "rums.entropy": "label" }, { script: () => "x" })).rejects.toThrow(
      /gives no logprobs.*model.reference/,
    );
  });

  test("a reply without its logprobs is not scored, never read as certainty", async () => {
    const { utilities, armKit } = await select(
      {},
      {
        script: ({ text, request }, index) =>
          index > 0 && text.includes("worth 0.4")
            ? "mute"
            : { text: labels[0], logprobs: request.logprobs ? logprobsFor(text, labels) : [] },
      },
    );
    expect(utilities?.scored.some(({ events }) => events.includes("e1"))).toBe(false);
    expect(armKit.incidents.get("logprobs-missing")).toBeGreaterThan(0);
  });

  test.each([
    ["greedy", { "rums.maxItems": 2 }, 1 + 4 + 3],
    ["singletons", {}, 1 + 4],
    ["exhaustive", { "rums.maxItems": 2 }, 1 + 4 + 6],
  ])("%s makes the calls of its formula: one of the plain prompt, one a subset", async (search, given, estimates) => {
    const { armKit } = await select({ "rums.search": search, "rums.filterItems": 4, ...given });
    const asked = armKit.calls.filter(({ phase, question }) => phase === "select" && question !== undefined);
    expect(asked).toHaveLength(estimates);
    const plan = rums.plan(
      knobs(rums, {
        "rums.search": search,
        "rums.filterItems": 4,
        "rums.entropy": "token",
        "rums.samples": 1,
        ...given,
      }),
    );
    expect(plan.perQuestion()["select@reference"]?.high).toBe(estimates);
    expect(plan.perArm?.()).toEqual({ "select@reference": { low: 0, high: 1 } });
  });

  test("search and filter by a model take its lists, and one that cannot be read is asked for once more", async () => {
    const script: FakeKitSettings["script"] = ({ text, request }) => {
      if (request.logprobs !== undefined)
        return { text: labels[0], logprobs: logprobsFor(text.split("The user asks").at(-1)!, labels) };
      if (text.includes("at most 4. Answer with JSON")) return '{"chosen": [2, 4, 9]}';
      return text.includes("Name up to") ? '{"chosen": [[1], [1, 2]]}' : "no list";
    };
    const { utilities, retrieved } = await select(
      { "rums.filter": "llm", "rums.filterItems": 4, "rums.search": "llm" },
      { script },
    );
    expect(utilities?.candidates).toEqual(["e1", "e3"]);
    expect(utilities?.scored.map(({ events }) => events.length)).toEqual([1, 2]);
    expect([...retrieved].sort()).toEqual(["e1", "e3"]);
    const unread = await select(
      { "rums.filter": "llm" },
      {
        script: ({ request, text }) => (request.logprobs === undefined ? "?" : { logprobs: logprobsFor(text, labels) }),
      },
    );
    expect(unread.armKit.incidents.get("select-unread")).toBe(1);
  });
});

describe("select= in the memories of sage and assistant", () => {
  test.each([
    ["sage", sage, { "sage.mode": "direct" }],
    ["assistant", assistant, {}],
  ] as const)(
    "%s shows what the selector chooses, and nothing where it chooses nothing",
    async (_name, method, given) => {
      const shown = async (select: string) => {
        const armKit = fakeKit({
          task: movies,
          script: ({ text }) => (text.includes("What is known of the user:") ? '{"chosen": [2]}' : "action"),
        });
        const settings = knobs(method as typeof sage, { ...given, select });
        const answer = await method.personalize(user(...history), settings as never, armKit.kit);
        await answer(ask("q", "worth 0.4"), armKit.question("q"));
        const last = armKit.calls.filter(({ phase }) => phase === "tool" || phase === "answer")[0];
        return {
          chosen: armKit.notes.filter(({ kind }) => kind === "selection"),
          prompt: JSON.stringify(last?.request),
        };
      };
      const named = await shown("llm-zero");
      expect(named.chosen).toHaveLength(1);
      expect(named.prompt).toContain("worth 0.4 nats");
      expect(named.prompt).not.toContain("worth 0.1 nats");
      expect((await shown("none")).prompt).not.toContain("worth 0.4 nats");
      expect((await shown("own")).chosen).toEqual([]);
      const plan = method.plan(knobs(method as typeof sage, { ...given, select: "llm-zero" }) as never);
      expect(plan.perQuestion().select).toEqual({ low: 0, high: 2 });
    },
  );
});

describe("selectors that need no entropy", () => {
  async function shown(given: Record<string, string | number>, more: Partial<FakeKitSettings> = {}) {
    const armKit = fakeKit({ task: movies, script: () => "action", ...more });
    const answer = await rag.personalize(user(...history), knobs(rag, given), armKit.kit);
    await answer(ask("q", "worth 0.4"), armKit.question("q"));
    return { armKit, ids: armKit.notes.find(({ kind }) => kind === "retrieved")?.data };
  }

  test("llm-zero and llm-few take what the model names, in its order; nothing where it names nothing", async () => {
    const says = (text: string) => ({
      script: ({ phase }: { phase: string }) => (phase === "select" ? text : "action"),
    });
    expect((await shown({ select: "llm-zero" }, says('Sure: {"chosen": [3, 1]}'))).ids).toEqual(["e2", "e0"]);
    const none = await shown({ select: "llm-few" }, says('{"chosen": []}'));
    expect([none.ids, none.armKit.incidents.get("select-abstained")]).toEqual([[], 1]);
    expect(none.armKit.calls[0]?.text).toContain("Two examples");
  });

  test("file:PATH takes its rankings; a question that it lacks is shown nothing", async () => {
    const files = { "r.json": '{"q": ["e2", "e0"]}' };
    expect((await shown({ select: "file:r.json", "rag.k": 1 }, { files })).ids).toEqual(["e2"]);
    expect((await shown({ select: "file:r.json" }, { files: { "r.json": '{"other": ["e2"]}' } })).ids).toEqual([]);
  });
});
