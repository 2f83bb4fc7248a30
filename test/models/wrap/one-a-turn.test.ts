import diagnostics from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { realClock } from "../../../src/commands/process-io.js";
import { anthropic } from "../../../src/models/providers/anthropic/index.js";
import { bedrock } from "../../../src/models/providers/bedrock/index.js";
import { openai } from "../../../src/models/providers/openai/index.js";
import { oneATurn, openTurns } from "../../../src/models/wrap/cached.js";
import { seeded } from "../../../src/random/seeded.js";
import { layered } from "../../../src/run/outside/layers.js";
import { Paces } from "../../../src/run/outside/paces.js";
import type { ModelReply } from "../../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";
import { startProviderServer } from "../../helpers/provider-server.js";

it("hands replies that came together on in different turns of the event loop, in order", async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const model = oneATurn(
    scripted(() => replyOf("x")),
    openTurns(),
  );
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

const wires = [
  ["openai", openai, "/v1", {}],
  ["anthropic", anthropic, "", { ANTHROPIC_API_KEY: "test-key" }],
  ["bedrock", bedrock, "", { AWS_REGION: "us-east-1", AWS_BEARER_TOKEN_BEDROCK: "test-token" }],
] as const;

it.each(wires)(
  "a reply of %s is stored in the turn in which its last byte was read",
  async (_name, provider, path, env) => {
    const server = await startProviderServer();
    const stored = new Map<string, ModelReply>();
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
      const open = await provider.open("m", { env, baseUrl: `${server.url}${path}`, concurrency: 2 });
      const model = layered(open, {
        paces: new Paces({ endpoints: {}, giveUpAfterMs: 1_000, clock: realClock, random: seeded("turn") }),
        store: {
          get: (key) => stored.get(key),
          put(key, _request, reply) {
            seen.push(turnsSinceEnd);
            stored.set(key, reply);
          },
        },
        clock: realClock,
        random: seeded("turn"),
      });
      for (const text of ["first", "second"]) await model.complete(ask(text), noAbort());
    } finally {
      diagnostics.unsubscribe("http.client.response.finish", onFinish);
      await server.close();
    }
    expect(seen).toEqual([0, 0]);
  },
);
