import { beforeAll, describe, expect, test } from "vitest";
import { prepare } from "../../src/app/run/prepare.js";
import { openModel } from "../../src/models/index.js";
import { cached } from "../../src/models/wrap/cached.js";
import { runArms } from "../../src/run/engine.js";
import { contentId } from "../../src/text/content-id.js";
import type { Model, ModelReply, UnitRecord } from "../../src/types/index.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { testIo } from "../helpers/test-io.js";

const users = 3;
let lexical: Model;

beforeAll(async () => {
  lexical = await openModel("offline/lexical", { env: {}, concurrency: 1 });
});

/** The embedded model, counted, and made to say something else to every request, so that no two iterations meet. */
function counting(): Model & { readonly sent: () => number } {
  let sent = 0;
  return {
    ...lexical,
    sent: () => sent,
    async complete(request, signal) {
      sent += 1;
      const reply = await lexical.complete(request, signal);
      if (reply.toolCalls.length > 0) return reply;
      return { ...reply, text: `${reply.text}\n[${contentId(request).slice(0, 8)}]` };
    },
  };
}

/** Prepares the users of all arms side by side, with one store, and answers one question each. */
async function preparedBy(sweep: Record<string, number[]>, set: Record<string, number> = {}) {
  const config = { task: "lamp2m", method: "persona-agent", users, queriesPerUser: 1, sweep } as const;
  const { arms, embedders, tools } = await prepare({ ...config, options: set, kind: "scaling" }, testIo({ cwd: "." }));
  const provider = counting();
  const replies = new Map<string, ModelReply>();
  const store = {
    get: (key: string) => replies.get(key),
    put: (key: string, _request: unknown, reply: ModelReply) => void replies.set(key, reply),
  };
  const clock = fakeClock(0);
  const model = cached(provider, store);
  const prepared: UnitRecord[] = [];
  const made = new Set<string>();
  await runArms({
    arms,
    equip: ({ cell }) => ({ model, embedder: embedders.of(cell.options), temperature: 0.1 }),
    tool: tools.tool,
    concurrency: 16,
    clock,
    rows: {
      isDone: () => false,
      isPrepared: () => false,
      row: () => undefined,
      unit: (record) => void prepared.push(record),
      timing: () => undefined,
      trace: ({ question, requests }) => {
        if (question === undefined) for (const request of requests) made.add(request);
      },
    },
    stop: new AbortController(),
    kill: new AbortController().signal,
  });
  const alone = prepared.map(({ spend }) => Object.values(spend).reduce((sum, { calls }) => sum + calls, 0));
  return { made, alone, sent: provider.sent(), stored: replies.size };
}

/** METHODS 0.4: a summary, then E times n agent runs of A calls, n gradients and one update. */
const calls = (n: number, iterations: number, turns = 3): number => 1 + iterations * (n * turns + n + 1);

describe("a sweep buys shared preparation once", () => {
  test("iterations 1 to 5 cost exactly what 5 alone cost, not their sum", async () => {
    const all = await preparedBy({ "align.iterations": [1, 2, 3, 4, 5] });
    const most = await preparedBy({ "align.iterations": [5] });
    expect(most.made.size).toBe(users * calls(3, 5));
    expect(all.made).toEqual(most.made);
    expect(all.alone.reduce((sum, own) => sum + own, 0)).toBe(
      users * [1, 2, 3, 4, 5].reduce((sum, iterations) => sum + calls(3, iterations), 0),
    );
  });

  test("batch sizes 1 to 3 share the summary, the simulations and the gradients; only the updates differ", async () => {
    const { made } = await preparedBy({ "align.batchSize": [1, 2, 3] });
    expect(made.size).toBe(users * (1 + 3 * 3 + 3 + 3));
  });

  test("no request is sent twice, however many arms ask for it at one time", async () => {
    const { sent, stored, alone } = await preparedBy({ "align.iterations": [1, 2, 3], "align.batchSize": [1, 2, 3] });
    expect(alone.length).toBe(5 * users);
    expect(sent).toBe(stored);
  });
});
