import { join } from "node:path";
import { realClock } from "../../src/app/process-io.js";
import { run } from "../../src/app/run/run.js";
import { seeded } from "../../src/random/seeded.js";
import { normalQuantile } from "../../src/statistics/normal.js";
import { sha256 } from "../../src/text/content-id.js";
import type { Clock, Model, Provider } from "../../src/types/index.js";

/** What a pilot said of a run, against what the run came to. */
export interface PilotOutcome {
  readonly isInside: boolean;
  /** Shares of the full cost. */
  readonly half: number;
  readonly pilotError: number;
  readonly sameCalls: boolean;
}

/** A run with a pilot of 20 among so many users, in a folder of its own, and the same run without. */
export async function playPilot(seed: number, cwd: string, users: number): Promise<PilotOutcome> {
  const { writeReviews } = await import("../helpers/review-data.js");
  writeReviews(join(cwd, "reviews"), usersOf(seed, users));
  const counted = { calls: 0 };
  const io = { cwd, env: {}, clock, node: process.version, tell: () => undefined };
  const request = (out: string) => ({
    ...{ task: "lamp3", method: ["rag", "pag"], data: "reviews", model: "bench/model", prices: PRICES },
    ...{ providers: [providerOf(seed, counted)], seed, out },
  });
  const piloted = await run({ ...request("piloted"), pilot: 20 }, io);
  const { usd: expected = 0, interval } = piloted.pilot!.total.forecast;
  const { summaries } = await run(request("piloted"), io);
  const withPilot = counted.calls;
  counted.calls = 0;
  await run(request("plain"), io);
  const cost = summaries.reduce((sum, { usd = 0 }) => sum + usd, 0);
  const { low, high } = interval ?? { low: 0, high: 0 };
  return {
    isInside: low <= cost && cost <= high,
    half: (high - expected) / cost,
    pilotError: Math.abs(expected / cost - 1),
    sameCalls: withPilot === counted.calls,
  };
}

const PRICES = [{ model: "bench/model", in: 2, out: 10 }];

const clock: Clock = { ...realClock, now: () => Date.UTC(2026, 10, 21) };

/** Log-normal numbers of past reviews, lengths of texts and numbers of questions. */
function usersOf(seed: number, users: number): object[] {
  const random = seeded(`pilot-bench/${seed}`);
  const logNormal = (center: number, spread: number): number =>
    Math.max(1, Math.round(center * Math.exp(spread * normalQuantile(0.001 + 0.998 * random.next()))));
  const words = (count: number): string =>
    Array.from({ length: count }, () => WORDS[random.below(WORDS.length)]).join(" ");
  return Array.from({ length: users }, (_, u) => ({
    user_id: `u${u}`,
    profile: Array.from({ length: logNormal(5, 0.7) }, (__, i) => ({
      id: `u${u}-p${i}`,
      text: words(logNormal(40, 0.7)),
      score: String(1 + random.below(5)),
      date: `2019-01-${String(1 + (i % 28)).padStart(2, "0")}`,
    })),
    query: Array.from({ length: Math.min(6, logNormal(2, 0.6)) }, (__, i) => ({
      id: `u${u}-q${i}`,
      input: `What is the score of the following review on a scale of 1 to 5? just answer with 1, 2, 3, 4, or 5 without further explanation. review: ${words(logNormal(40, 0.7))}`,
      gold: "5",
      date: "2020-01-01",
    })),
  }));
}

const WORDS =
  "a lamp that is bright warm dull broken on the desk shelf wall with paper shade and brass foot for reading".split(
    " ",
  );

/** Replies of log-normal length by the text of the request. */
function providerOf(seed: number, counted: { calls: number }): Provider {
  const model: Model = {
    id: "bench/model",
    simulated: false,
    capabilities: { temperature: true, stop: true, tools: true, prefill: true, logprobs: false, thinking: "none" },
    async complete(request) {
      counted.calls += 1;
      const text = JSON.stringify(request.messages);
      const share = (Number.parseInt(sha256(`${seed}${text}`).slice(0, 8), 16) + 0.5) / 2 ** 32;
      const out = Math.max(1, Math.round(60 * Math.exp(0.9 * normalQuantile(share))));
      return {
        text: String(1 + (out % 5)),
        toolCalls: [],
        stop: "end",
        usage: { in: Math.ceil(text.length / 4), out },
        model: "model",
      };
    },
  };
  return { name: "bench", summary: "replies of log-normal length", open: async () => model };
}
