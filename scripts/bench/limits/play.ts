import type { Model } from "../../../src/types/index.js";
import { access, type LimitCode, limitsIn } from "./code.js";
import { Limiter, type ServerRules } from "./limiter.js";
import { requestsOf, tokensIn } from "./requests.js";
import { VirtualClock } from "./virtual-clock.js";

/** What calls behind limits came to. */
export interface Played {
  readonly seconds: number;
  readonly sent: number;
  readonly refused: number;
  readonly failed: number;
  readonly mostInFlight: number;
}

/** Plays calls of so many processes against one account of these rules, in this process and on a clock that nobody waits for. */
export async function play(code: LimitCode, rules: ServerRules, calls: number, processes = 1): Promise<Played> {
  const clock = new VirtualClock();
  const limiter = new Limiter(rules);
  let sent = 0;
  const bare: Model = {
    id: access.model,
    simulated: false,
    capabilities: { temperature: true, stop: true, tools: true, prefill: true, logprobs: true, thinking: "none" },
    async complete(request, _signal, onLimits) {
      sent += 1;
      const tokens = tokensIn(request);
      await clock.sleep(WAY_MS);
      const { taken, headers } = limiter.arrive(clock.monotonic(), tokens);
      const bag = { get: (name: string) => headers[name] };
      if (!taken) throw code.failure(access, { status: 429, headers: bag, text: "rate limit reached" });
      await clock.sleep(rules.replyMs - WAY_MS);
      limiter.leave();
      const limits = limitsIn(bag);
      if (limits !== undefined) onLimits?.(limits);
      return { text: "comedy", toolCalls: [], stop: "end", usage: { in: tokens, out: 2 }, model: "bench" };
    },
  };
  const signal = new AbortController().signal;
  const models = Array.from({ length: processes }, (_, n) => code.wrap(bare, clock, `limits/${n}`));
  const all = Promise.allSettled(
    models.flatMap((model) => requestsOf(calls).map((request) => model.complete(request, signal))),
  );
  const ends = await clock.run(all);
  return {
    seconds: clock.monotonic() / 1000,
    sent,
    refused: limiter.refused,
    failed: ends.filter(({ status }) => status === "rejected").length,
    mostInFlight: limiter.mostInFlight,
  };
}

/** From here to the server. */
const WAY_MS = 20;
