import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../src/commands/library.js";
import { pricesAt } from "../../../src/models/prices.js";
import { seeded } from "../../../src/random/seeded.js";
import { runFiles } from "../../../src/record/rows.js";
import { fakeClock } from "../../../test/helpers/fake-clock.js";
import { moneyIn } from "../../../test/helpers/planted-log.js";
import { type Fault, type ServedRequest, startProviderServer } from "../../../test/helpers/provider-server.js";
import { reviewUser, writeReviews } from "../../../test/helpers/review-data.js";

/** What one schedule of faults, kills and resumes came to. */
export interface Play {
  /** Requests the server would bill: all but those it answered with an error. */
  readonly billed: number;
  /** Billable tries by the run's own count. */
  readonly counted: number;
  /** Replies that hung past the deadline. */
  readonly timedOut: number;
  readonly kills: number;
  readonly capped: boolean;
  /** Broken promises; empty where all hold. */
  readonly offences: readonly string[];
}

/**
 * One random schedule against a server that counts: faults, replies that hang past a deadline of real time, a cap of calls or dollars, 1 to 16 calls in flight, kills (the folder as
 * it stands at that moment goes on, the process does not) and resumes.
 */
export async function playMoney(seed: string, cwd: string): Promise<Play> {
  const random = seeded(seed);
  const draw = (from: number, to: number): number => from + Math.floor(random.next() * (to - from + 1));
  const asked = { concurrency: draw(1, 16), badShare: random.next() * 0.5, dollars: draw(0, 2) === 0 };
  const calls = draw(5, 60);
  const cap = asked.dollars ? { maxUsd: calls * USD_PER_CALL } : { maxCalls: calls };
  const hangs = { most: draw(0, 3), share: random.next() * 0.1, seen: 0 };
  const killsAt = Array.from({ length: draw(0, 2) }, () => draw(2, 30));
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`)),
  );

  const seen = { arrived: 0, refused: 0, usd: 0, silent: 0, kills: 0, dropped: 0 };
  let onArrival = (): void => undefined;
  const server = await startProviderServer({
    reply: (request) => (asked.dollars ? message(request) : undefined),
    fault(request) {
      seen.arrived += 1;
      const hang =
        hangs.seen < hangs.most && random.next() < hangs.share ? HANGS[draw(0, HANGS.length - 1)] : undefined;
      const fault = hang ?? (random.next() < asked.badShare ? FAULTS[draw(0, FAULTS.length - 1)] : undefined);
      if (hang !== undefined) hangs.seen += 1;
      if (hang !== undefined || fault?.kind === "cut") seen.silent += 1;
      const isRefused = fault?.kind === "status";
      if (isRefused) seen.refused += 1;
      else if (asked.dollars) seen.usd += usdOf(request);
      onArrival();
      return fault;
    },
  });
  const offences: string[] = [];
  const expect = (holds: boolean, what: string): void => {
    if (!holds) offences.push(`${seed}: ${what}`);
  };
  let capped = false;
  try {
    for (let process = 0; process < 6 && !capped; process++) {
      const out = `run-${process}`;
      const kill = new AbortController();
      const folder = join(cwd, out);
      const before = moneyIn(folder);
      const killAfter = seen.arrived + (killsAt[process] ?? Number.POSITIVE_INFINITY);
      let isKilled = false;
      onArrival = () => {
        if (isKilled || seen.arrived < killAfter) return;
        const { tries, refused } = moneyIn(folder);
        if (tries + refused !== seen.arrived) return; // a try is on its way to the server: not this moment
        isKilled = true;
        cpSync(join(cwd, out), join(cwd, `run-${process + 1}`), { recursive: true });
        kill.abort(new Error("killed"));
      };
      const model = asked.dollars ? CLAUDE : "openai/rated";
      const result = await run(
        {
          ...{ task: "lamp3", method: ["prompt", "pag"], data: "reviews", model, out, ...cap },
          ...{ baseUrl: asked.dollars ? server.url : `${server.url}/v1`, concurrency: asked.concurrency },
          ...{ kill: kill.signal, options: { "server.deadlineSeconds": DEADLINE_SECONDS } },
        },
        { cwd, env: KEYS, clock: fakeClock(START_MS), node: "v20.0.0", tell: () => undefined },
      );
      const after = moneyIn(folder);
      if (isKilled) {
        const left = moneyIn(join(cwd, `run-${process + 1}`));
        seen.kills += 1;
        seen.dropped += left.unknown;
        unlock(join(cwd, `run-${process + 1}`));
        continue;
      }
      const billed = seen.arrived - seen.refused;
      const extra = after.tries - billed;
      // refusals on their way when the process was killed: it never heard of them; and what a starved machine let run into the deadline
      const unheard = seen.dropped + Math.max(0, after.unknown - seen.silent - seen.dropped);
      expect(extra === 0 || (extra > 0 && extra <= unheard), `${billed} billed, ${after.tries} counted`);
      expect(
        seen.kills > 0 || after.unknown >= seen.silent,
        `${after.unknown} unknown of ${seen.silent} without an answer`,
      );
      expect(result.calls.sent === after.tries - before.tries, `${result.calls.sent} calls told of`);
      capped = result.ended === "cap";
      if ("maxCalls" in cap) {
        expect(after.tries <= calls, `${after.tries} counted under a cap of ${calls}`);
        if (capped) expect(after.tries === calls, `stopped at ${after.tries} of ${calls}`);
      } else expect(seen.usd <= (cap.maxUsd ?? 0), `$${seen.usd} under a cap of $${cap.maxUsd}`);
      if (result.ended === "done") break;
      if (!capped) cpSync(join(cwd, out), join(cwd, `run-${process + 1}`), { recursive: true });
    }
  } finally {
    await server.close();
  }
  const folder = readdirSync(cwd)
    .filter((name) => existsSync(join(cwd, name, runFiles.log)))
    .sort()
    .at(-1);
  const counted = folder === undefined ? 0 : moneyIn(join(cwd, folder)).tries;
  return {
    billed: seen.arrived - seen.refused,
    counted,
    timedOut: hangs.seen,
    kills: seen.kills,
    capped,
    offences,
  };
}

const START_MS = Date.UTC(2026, 10, 1);
const CLAUDE = "anthropic/claude-haiku-5-5";
const KEYS = { OPENAI_API_KEY: "sk-fake-0123456789", ANTHROPIC_API_KEY: "sk-fake-0123456789" };
/** About what one prompt of the demo reviews costs at most. */
const USD_PER_CALL = 0.0003;

/** Real seconds. */
const DEADLINE_SECONDS = 0.5;
/** No byte, or half a reply, and then silence past the deadline. */
const HANGS: readonly Fault[] = [{ kind: "hang" }, { kind: "stall" }];

const FAULTS: readonly Fault[] = [
  { kind: "status", status: 429 },
  { kind: "status", status: 529 },
  { kind: "status", status: 500 },
  { kind: "status", status: 503 },
  { kind: "cut" },
  { kind: "malformed" },
];

/** A Messages reply that uses its whole answer budget. */
const message = ({ body }: ServedRequest): unknown => ({
  ...{
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: body.model,
    stop_reason: "end_turn",
    stop_sequence: null,
  },
  content: [{ type: "text", text: "5", citations: null }],
  usage: { input_tokens: tokensOf(body), output_tokens: body.max_tokens },
});

/** As many tokens as a prompt can have: one a byte. */
const tokensOf = (body: { messages: unknown; system?: unknown }): number =>
  Buffer.byteLength((body.messages as { content: string | { text: string }[] }[]).map(contentOf).join("")) +
  (typeof body.system === "string" ? Buffer.byteLength(body.system) : 0);

const contentOf = ({ content }: { content: string | { text: string }[] }): string =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");

const usdOf = ({ body }: ServedRequest): number =>
  pricesAt(START_MS).ofCall(CLAUDE, { in: tokensOf(body), out: body.max_tokens }) ?? 0;

/** A killed process's lock is taken over by any other; here both are one process. */
function unlock(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith("lock")) rmSync(join(folder, name));
}
