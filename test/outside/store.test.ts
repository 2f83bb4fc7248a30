import diagnostics from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { realClock } from "../../src/commands/terminal.js";
import { ModelError } from "../../src/errors.js";
import { requestKey } from "../../src/log/entry.js";
import { anthropic } from "../../src/models/providers/anthropic/index.js";
import { bedrock } from "../../src/models/providers/bedrock/index.js";
import { openai } from "../../src/models/providers/openai/index.js";
import { layered } from "../../src/outside/layers.js";
import { type End, memoryBook, Once } from "../../src/outside/once.js";
import { Servers } from "../../src/outside/servers.js";
import { boughtOnce, inSeparateTurns, isFromStore } from "../../src/outside/store.js";
import { seeded } from "../../src/random/seeded.js";
import { ask, noAbort, replyOf, scripted } from "../helpers/model-request.js";
import { startProviderServer } from "../helpers/provider-server.js";

/** A book in memory that says what it keeps. */
function counted(onEnd = (_: End): unknown => undefined): { readonly once: Once } {
  const book = memoryBook();
  return {
    once: new Once({
      ...book,
      end(entry) {
        onEnd(entry);
        return book.end(entry);
      },
    }),
  };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("replies of the store", () => {
  it("answer an equal request without sending it, also while the first is in flight, and say so", async () => {
    let calls = 0;
    const model = boughtOnce(
      scripted(async () => {
        calls += 1;
        await soon();
        return replyOf("x");
      }),
    );
    const [first, second] = await Promise.all([1, 2].map(() => model.complete(ask("q"), noAbort())));
    const third = await model.complete(ask("q"), noAbort());
    expect(calls).toBe(1);
    expect([second, third]).toEqual(Array(2).fill({ ...first, source: "store" }));
    expect([first!, second!, third].map(isFromStore)).toEqual([false, true, true]);
  });

  it.each([
    ["slow, then fast and equal", [500, 9], [0, 1000], "x", 1],
    ["the same within a repeat", [500, 9], [1000, 1001], "x", 1],
    ["another text", [500, 9], [0, 1000], "y", 0],
    ["both fast", [20, 9], [0, 1000], "x", 0],
    ["both slow", [500, 90], [0, 1000], "x", 0],
    ["draws of no pair", [500, 9], [1, 1000], "x", 0],
  ] as const)("tell of draws that a gateway may have cached: %s", async (_, took, samples, second, times) => {
    let [calls, told] = [0, 0];
    const model = boughtOnce(
      scripted(() => replyOf(calls === 0 ? "x" : second)),
      { tries: { takeMs: () => took[calls++] }, onCachedDraw: () => void told++ },
    );
    for (const sample of samples) await model.complete(ask("q", { sample }), noAbort());
    expect(told).toBe(times);
  });

  it.each([
    ["text", ask("other")],
    ["sample number", ask("q", { sample: 1 })],
    ["system prompt", ask("q", { system: "s" })],
    ["temperature", ask("q", { temperature: 0 })],
    ["answer budget", ask("q", { maxTokens: 65 })],
    ["stop texts", ask("q", { stop: ["\n"] })],
    ["log probabilities", ask("q", { logprobs: 1 })],
    ["tools", ask("q", { tools: [{ name: "t", description: "d", parameters: {} }] })],
    ["tool choice", ask("q", { toolChoice: "none" })],
  ])("a different %s is a different key", (_field, request) => {
    expect(requestKey("m", request)).not.toBe(requestKey("m", ask("q")));
  });

  it("are of one model; the order of fields counts for nothing", () => {
    expect(requestKey("m", ask("q"))).not.toBe(requestKey("n", ask("q")));
    const { messages, maxTokens, sample } = ask("q");
    expect(requestKey("m", { sample, maxTokens, messages })).toBe(requestKey("m", ask("q")));
  });

  it("are refusals, too, and never errors: equal calls in flight fail together, a later one is sent", async () => {
    const kept: string[] = [];
    let calls = 0;
    const model = boughtOnce(
      scripted(async () => {
        calls += 1;
        await soon();
        if (calls === 1) throw new ModelError("down", { retryable: true });
        return replyOf("", { stop: "refusal" });
      }),
      counted(({ t }) => kept.push(t)),
    );
    const both = await Promise.allSettled([1, 2].map(() => model.complete(ask("q"), noAbort())));
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect([calls, kept]).toEqual([1, ["failure"]]);
    await model.complete(ask("q"), noAbort());
    expect([calls, kept]).toEqual([2, ["failure", "answer"]]);
  });

  it("are looked for without what the model does not take", async () => {
    const model = layered(
      scripted(() => replyOf("x"), { temperature: false }),
      { servers: undefined, clock: realClock, random: seeded("store") },
    );
    await model.complete(ask("q", { temperature: 0 }), noAbort());
    expect(isFromStore(await model.complete(ask("q"), noAbort()))).toBe(true);
  });
});

it("hands replies that came together on in different turns of the event loop, in order", async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const model = inSeparateTurns()(scripted(() => replyOf("x")));
  const turns = await Promise.all(
    [..."abc"].map(async (text) => {
      await model.complete(ask(text), noAbort());
      return turn;
    }),
  );
  isOver = true;
  expect(new Set(turns).size).toBe(3);
  expect(turns).toEqual([...turns].sort((a, b) => a - b));
});

it.each([
  ["openai", openai, "/v1", {}],
  ["anthropic", anthropic, "", { ANTHROPIC_API_KEY: "test-key" }],
  ["bedrock", bedrock, "", { AWS_REGION: "us-east-1", AWS_BEARER_TOKEN_BEDROCK: "test-token" }],
] as const)(
  "a reply of %s is stored in the turn in which its last byte was read",
  async (_name, provider, path, env) => {
    const server = await startProviderServer();
    let turnsSinceEnd: number | undefined;
    const onFinish = (message: unknown): void => {
      (message as { response: IncomingMessage }).response.once("end", () => {
        turnsSinceEnd = 0;
        setImmediate(() => {
          if (turnsSinceEnd !== undefined) turnsSinceEnd += 1;
        });
      });
    };
    const seen: (number | undefined)[] = [];
    diagnostics.subscribe("http.client.response.finish", onFinish);
    try {
      const [clock, random] = [realClock, seeded("turn")];
      const model = layered(await provider.open("m", { env, baseUrl: `${server.url}${path}`, concurrency: 2 }), {
        servers: new Servers({ endpoints: {}, clock, random }),
        replies: counted(() => seen.push(turnsSinceEnd)),
        ...{ clock, random },
      });
      for (const text of ["first", "second"]) await model.complete(ask(text), noAbort());
    } finally {
      diagnostics.unsubscribe("http.client.response.finish", onFinish);
      await server.close();
    }
    expect(seen).toEqual([0, 0]);
  },
);
