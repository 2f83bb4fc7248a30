import { describe, expect, test } from "vitest";
import { poolOf } from "../../src/data/others.js";
import { ModelError, UsageError } from "../../src/errors.js";
import { type ArmContext, type CallOrigin, openKit } from "../../src/run/kit.js";
import { tasks } from "../../src/tasks/index.js";
import type { Kit, Model, ModelReply, ModelRequest } from "../../src/types/index.js";
import { says } from "../helpers/engine-run.js";
import { replyOf, scripted } from "../helpers/model-request.js";

const task = tasks.get("lamp3");
const arm = { id: "c", task: task.name, dataset: "d", method: "m", model: "x", options: {}, seed: 0, repeat: 0 };

function bench(over: Partial<ArmContext> = {}): ArmContext {
  return {
    spec: arm,
    task,
    model: scripted(() => replyOf("5")),
    embedder: { id: "none", dimensions: 0, embed: async () => [] },
    others: poolOf([], { kind: "none", askers: [], dated: false }),
    tool: () => undefined,
    temperature: undefined,
    signal: new AbortController().signal,
    shared: new Map(),
    ...over,
  };
}

/** A bench that keeps what its model was sent. */
function logged(over: Partial<ArmContext> = {}): { readonly bench: ArmContext; readonly sent: ModelRequest[] } {
  const sent: ModelRequest[] = [];
  const model = scripted((request) => {
    sent.push(request);
    return replyOf("5");
  });
  return { bench: bench({ model, ...over }), sent };
}

describe("a further model", () => {
  const named = { ...arm, options: { "model.reference": "x/sure", "model.effort": "low" } };

  test("is asked where the request says so, and spends under its role, without the effort of the one that answers", async () => {
    const sent: ModelRequest[] = [];
    const answers = scripted((request) => {
      sent.push(request);
      return replyOf("7");
    });
    const sure: Model = { ...answers, id: "x/sure" };
    const { bench: own, sent: others } = logged({ spec: named, further: { reference: sure } });
    const { kit, ledger } = openKit(own, "u");
    expect((await kit.ask("select", { ...says("?"), of: "reference" })).text).toBe("7");
    await kit.ask("select", says("?"));
    expect([sent.length, others.length]).toEqual([1, 1]);
    expect([sent[0]?.effort, others[0]?.effort]).toEqual([undefined, "low"]);
    expect(Object.keys(ledger.spend())).toEqual(["select", "select@reference"]);
    expect([kit.models.reference.id, kit.models.judge.id]).toEqual(["x/sure", own.model.id]);
  });

  test("that the run does not name is the one that answers", async () => {
    const { bench: own, sent } = logged();
    const { kit, ledger } = openKit(own, "u");
    await kit.ask("judge", { ...says("?"), of: "judge" });
    expect([sent.length, Object.keys(ledger.spend())]).toEqual([1, ["judge"]]);
  });
});

describe("a request", () => {
  test("has a sample number of its own in every repeat and draw, so that none answers for another", async () => {
    const samples: number[] = [];
    for (const repeat of [0, 1, 2, 3]) {
      const { bench: own, sent } = logged({ spec: { ...arm, repeat } });
      const { kit } = openKit(own, "u");
      for (const draw of [undefined, 1, 2, 3, 999]) await kit.ask("answer", { ...says("?"), ...(draw && { draw }) });
      samples.push(...sent.map(({ sample }) => sample));
    }
    expect(new Set(samples).size).toBe(20);
    expect([samples[0], samples[3], samples[17]]).toEqual([0, 3, 3002]); // as the stores of earlier runs have them
  });

  test("has the room and the effort that the run's options give every call, and neither where they are not set", async () => {
    const options = { "model.effort": "low", "model.answerTokens": 500 };
    const { bench: own, sent } = logged({ spec: { ...arm, options } });
    await openKit(own, "u").kit.ask("answer", says("?"));
    await openKit(own, "u").kit.ask("summary", { ...says("?"), maxTokens: 900 });
    expect(sent.map(({ effort, maxTokens }) => [effort, maxTokens])).toEqual([
      ["low", 500],
      ["low", 900],
    ]);
  });

  test("is announced before it is sent, with the place it is for, and its reply after", async () => {
    const heard: unknown[] = [];
    const model = scripted(() => {
      heard.push("sent");
      return replyOf("5");
    });
    const onAsk = (_: ModelRequest, asked: CallOrigin) => {
      heard.push(asked);
      return ({ text }: ModelReply) => void heard.push(text);
    };
    const own = bench({ model, onAsk });
    await openKit(own, "u").kit.ask("summary", says("?"));
    await openKit(own, "u", "q").kit.ask("answer", says("?"));
    expect(heard).toEqual([
      { arm: "c", unit: "u", phase: "summary" },
      "sent",
      "5",
      { arm: "c", unit: "u", question: "q", phase: "answer" },
      "sent",
      "5",
    ]);
    expect(heard[0]).not.toHaveProperty("question");
  });

  test("that fails is named for its place where someone knows more, and else fails as it is", async () => {
    const failure = new ModelError("no", { retryable: false });
    const model = scripted(() => Promise.reject(failure));
    const explain = (error: unknown, { unit, question }: CallOrigin) =>
      question === "q1" ? new Error(`${unit} ${question}: ${error === failure}`) : undefined;
    const fails = (own: ArmContext, question: string) => openKit(own, "u", question).kit.ask("answer", says("?"));
    await expect(fails(bench({ model, explain }), "q1")).rejects.toThrow("u q1: true");
    await expect(fails(bench({ model, explain }), "q2")).rejects.toBe(failure);
    await expect(fails(bench({ model }), "q1")).rejects.toBe(failure);
  });
});

describe("the ledger of a question", () => {
  test("adds up calls and tokens by phase, phases in alphabetical order, and keeps long calls apart for their price", async () => {
    let calls = 0;
    const model = scripted(() => replyOf("5", { usage: { in: 10 ** calls, out: 2 * 10 ** calls++ } }));
    const { kit, ledger } = openKit(bench({ model }), "u", "q");
    for (const phase of ["update", "tool", "answer", "tool", "summary", "answer"] as const)
      await kit.ask(phase, says(`${phase}`));
    expect(Object.entries(ledger.spend())).toEqual([
      ["answer", { calls: 2, in: 100_100, out: 200_200, long: [{ in: 100_000, out: 200_000 }] }],
      ["summary", { calls: 1, in: 10_000, out: 20_000 }],
      ["tool", { calls: 2, in: 1010, out: 2020 }],
      ["update", { calls: 1, in: 1, out: 2 }],
    ]);
  });

  test("hands replies on without the thinking written into them", async () => {
    const { kit, ledger } = openKit(bench({ model: scripted(() => replyOf("<think>2? 3?</think>\n5")) }), "u", "q");
    expect((await kit.ask("answer", says("?"))).text).toBe("5");
    expect(ledger.incidents()).toEqual({ "thinking-in-text": 1 });
    const cut = openKit(bench({ model: scripted(() => replyOf("<think>The rating 5", { stop: "length" })) }), "u", "q");
    expect((await cut.kit.ask("answer", says("?"))).text).toBe("");
  });

  test("lists the requests as often as they were made, sorted, also one that failed and cost nothing", async () => {
    const model = scripted(({ messages }) => {
      if (JSON.stringify(messages).includes("fail")) throw new ModelError("no", { retryable: false });
      return replyOf("5");
    });
    const requestsOf = async (texts: readonly string[]) => {
      const { kit, ledger } = openKit(bench({ model }), "u", "q");
      for (const text of texts) await kit.ask("answer", says(text)).catch(() => undefined);
      return { requests: ledger.requests(), calls: ledger.spend().answer?.calls };
    };
    const there = await requestsOf(["a", "b", "c", "a", "fail"]);
    expect(there).toEqual({ ...(await requestsOf(["fail", "a", "c", "b", "a"])), calls: 4 });
    expect(there.requests).toEqual([...there.requests].sort());
    expect(there.requests).toEqual(Array(5).fill(expect.stringMatching(/^[0-9a-f]{16}$/)));
    expect(new Set(there.requests).size).toBe(4);
  });

  test("counts calls whose tokens a provider did not tell; a simulated model's are always ours", async () => {
    const usage = [{}, { estimated: true }, { estimated: true }, {}];
    for (const [simulated, counted] of [
      [false, { "usage-estimated": 2 }],
      [true, {}],
    ] as const) {
      let call = 0;
      const model = scripted(() => replyOf("5", { simulated, usage: { in: 1, out: 1, ...usage[call++] } }));
      const { kit, ledger } = openKit(bench({ model }), "u", "q");
      for (const text of ["a", "b", "c", "d"]) await kit.ask("answer", says(text));
      expect(ledger.incidents()).toEqual(counted);
    }
  });

  test("is simulated as soon as one reply, or the model, is", async () => {
    const asked = async (simulated: readonly boolean[], model: Partial<ArmContext["model"]> = {}) => {
      let call = 0;
      const own = scripted(() => replyOf("5", { simulated: simulated[call++] === true }));
      const { kit, ledger } = openKit(bench({ model: { ...own, ...model } }), "u", "q");
      for (const _ of simulated) await kit.ask("answer", says("?"));
      return ledger.simulated();
    };
    expect(await asked([false, false])).toBe(false);
    expect(await asked([false, true, false])).toBe(true);
    expect(await asked([], { simulated: true })).toBe(true);
  });
});

describe("random numbers", () => {
  const draw = (over: Partial<ArmContext["spec"]>, user: string, question?: string) =>
    openKit(bench({ spec: { ...arm, ...over } }), user, question)
      .kit.random("a")
      .next();
  const runDraw = (over: Partial<ArmContext["spec"]>, user: string, question?: string) =>
    openKit(bench({ spec: { ...arm, ...over } }), user, question)
      .kit.runRandom("a")
      .next();
  const others = [{ seed: 1 }, { task: "lamp2m" }, { method: "other" }];

  test("are of the seed, the task, the method, the user and the question, and of nothing else", () => {
    const all = [draw({}, "u"), draw({}, "v"), draw({}, "u", "q"), draw({}, "u", "r"), draw({}, "v", "q")];
    const elsewhere = others.map((over) => draw(over, "u"));
    expect(new Set([...all, ...elsewhere]).size).toBe(8);
    expect(draw({ id: "another", model: "y", repeat: 3, options: { k: 1 } }, "u")).toBe(draw({}, "u"));
  });

  test("of the whole run are the same for every user and question", () => {
    const one = runDraw({}, "u");
    expect([runDraw({}, "v"), runDraw({}, "u", "q")]).toEqual([one, one]);
    expect(new Set([one, ...others.map((over) => runDraw(over, "u"))]).size).toBe(4);
  });

  test("are those of earlier versions, so that an old run goes on as it began", () => {
    expect([draw({}, "u"), draw({}, "u", "q"), runDraw({}, "u")]).toEqual([
      0.6880909342724852, 0.7434019039492975, 0.5008926666923013,
    ]);
  });
});

test("a shared value with a content id may neither note nor count anything: another arm would lack that", async () => {
  for (const act of [(kit: Kit) => kit.count("skipped"), (kit: Kit) => kit.note({ kind: "summary", data: "kind" })]) {
    const build = async (kit: Kit) => act(kit);
    await expect(openKit(bench(), "u").kit.shared("key", build, { content: "id" })).rejects.toThrow(
      "shared value key is shared by its content but asks, notes or counts",
    );
  }
});

test("a shared value that could not be built fails everyone who wants it, and is told of once", async () => {
  const told: string[] = [];
  const own = bench({ onShared: (key) => void told.push(key) });
  const wants = (user: string) =>
    openKit(own, user).kit.shared("table", () => Promise.reject(new UsageError("no table")));
  for (const user of ["u", "v"]) await expect(wants(user)).rejects.toThrow("no table");
  expect(told).toEqual(["table"]);
});

describe("a reply", () => {
  const asked = async (reply: Partial<ModelReply>) => {
    const { kit, ledger } = openKit(bench({ model: scripted(() => ({ ...replyOf("5"), ...reply })) }), "u");
    await kit.ask("answer", says("?"));
    return ledger;
  };

  test("whose server took something out of the input is counted", async () => {
    expect((await asked({ inputChanged: "cut" } as Partial<ModelReply>)).incidents()).toEqual({
      "input-changed-by-server": 1,
    });
    expect((await asked({})).incidents()).toEqual({});
  });
});
