import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, describe, expect, it } from "vitest";
import { anthropic } from "../../src/models/providers/anthropic/index.js";
import { bedrock } from "../../src/models/providers/bedrock/index.js";
import { openai } from "../../src/models/providers/openai/index.js";
import { layered } from "../../src/outside/layers.js";
import { Servers } from "../../src/outside/servers.js";
import { isFromStore } from "../../src/outside/store.js";
import { seeded } from "../../src/random/seeded.js";
import type { Provider } from "../../src/types/index.js";
import { fastClock } from "../helpers/fast-clock.js";
import { ask } from "../helpers/model-request.js";
import {
  type Fault,
  type ProviderServer,
  type ServedRequest,
  startProviderServer,
} from "../helpers/provider-server.js";

let server: ProviderServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const HANGING = 300;

/** The plan, by the number in a prompt: from 100 on every 18th is throttled, every 50th breaks, every 100th is cut, one hangs. */
function faultOf(number: number): Fault | undefined {
  if (number === HANGING) return { kind: "hang" };
  if (number >= 100 && number % 18 === 4) return { kind: "status", status: 429, headers: { "retry-after": "0.02" } };
  if (number % 50 === 7) return { kind: "status", status: 500 };
  if (number % 100 === 11) return { kind: "cut" };
  return undefined;
}

const promptOf = ({ body }: ServedRequest): string => {
  const { content } = body.messages[0];
  return typeof content === "string" ? content : content[0].text;
};

const CALLS = 400;
const planned = Array.from({ length: CALLS }, (_, i) => faultOf(i)).filter((fault) => fault !== undefined);

/** The number of the call that is being made. */
const inWork = new AsyncLocalStorage<number>();

async function storm(provider: Provider, path: string, env: Record<string, string>) {
  /** Ends the deadline of the call that hangs, once the server has it. */
  let endWhatHangs: (() => void) | undefined;
  server = await startProviderServer({
    forget: true,
    fault: (request) => {
      const fault = request.attempt === 1 ? faultOf(Number(promptOf(request))) : undefined;
      if (fault?.kind === "hang") endWhatHangs?.();
      return fault;
    },
  });
  const open = await provider.open("m", { env, baseUrl: `${server.url}${path}`, concurrency: 50 });
  const clock = fastClock(20);
  const model = layered(open, {
    servers: new Servers({
      endpoints: {},
      concurrency: 50,
      giveUpAfterMs: 900_000,
      clock,
      random: seeded("storm"),
    }),
    clock,
    random: seeded("storm"),
    policy: { tries: 4, firstWaitMs: 5 },
    startTimer: (_delayMs, fire) => {
      if (inWork.getStore() === HANGING) endWhatHangs ??= fire;
      return () => undefined;
    },
  });
  const { signal } = new AbortController();
  const asked = (i: number) => inWork.run(i, () => model.complete(ask(String(i)), signal));
  const all = () => Promise.all(Array.from({ length: CALLS }, (_, i) => asked(i)));
  const texts = (await all()).map(({ text }) => text);
  return { texts, all, server };
}

describe("four hundred calls with 5 % 429 + Retry-After, 2 % 500, 1 % cut bodies and one hang", () => {
  const providers: [Provider, string, Record<string, string>][] = [
    [openai, "/v1", {}],
    [anthropic, "", { ANTHROPIC_API_KEY: "test-key" }],
    [bedrock, "", { AWS_REGION: "us-east-1", AWS_BEARER_TOKEN_BEDROCK: "test-token" }],
  ];

  it("plans the faults that the title says", () => {
    const count = (is: (fault: Fault) => boolean) => planned.filter(is).length;
    expect(count((fault) => fault.kind === "status" && fault.status === 429)).toBe(16);
    expect(count((fault) => fault.kind === "status" && fault.status === 500)).toBe(8);
    expect(count((fault) => fault.kind === "cut")).toBe(4);
    expect(count((fault) => fault.kind === "hang")).toBe(1);
  });

  it.each(providers)(
    "$name: finish with all right answers and repeat only what failed",
    async (provider, path, env) => {
      const { texts, all, server: counted } = await storm(provider, path, env);
      expect(texts).toEqual(Array.from({ length: CALLS }, (_, i) => `echo: ${i}`));
      const counts = [...counted.countByBody.values()];
      expect(counts.reduce((sum, n) => sum + n, 0)).toBe(CALLS + planned.length);
      expect(Math.max(...counts)).toBe(2);
      expect(counted.mostInFlight).toBeLessThanOrEqual(50);
      expect((await all()).every(isFromStore)).toBe(true);
      expect([...counted.countByBody.values()]).toEqual(counts);
    },
  );
});
