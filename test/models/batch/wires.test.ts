import { describe, expect, it } from "vitest";
import { anthropicBatches } from "../../../src/models/providers/anthropic/batches.js";
import { openaiBatches } from "../../../src/models/providers/openai/batches.js";
import type { BatchCalls } from "../../../src/models/wire/batch-calls.js";
import type { ModelAccess } from "../../../src/models/wire/failure.js";
import type { Wire } from "../../../src/models/wire/sdk.js";
import { Queue } from "../../../src/outside/batch/waves.js";
import type { BatchWire } from "../../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

const access: ModelAccess = { model: "m", keyName: "KEY", secrets: [], billsRepliesOnly: true, limitHeaders: [] };
const wireAt = (path: string): Wire => ({ path, body: () => ({}), read: () => replyOf("x") });
const wave = { id: "w9", lines: 1, sinceMs: Date.UTC(2026, 0, 1) };
const AFTER = Date.UTC(2026, 0, 2);

/** A list of batches, newest first, in pages of two. */
function paged(batches: readonly Record<string, unknown>[], cursor: "after" | "after_id", text = "") {
  let pages = 0;
  const calls: BatchCalls = {
    post: async () => ({}),
    async get(_path, _signal, query = {}) {
      pages += 1;
      const from = query[cursor] === undefined ? 0 : batches.findIndex(({ id }) => id === query[cursor]) + 1;
      const data = batches.slice(from, from + 2);
      return { data, has_more: from + 2 < batches.length, last_id: data.at(-1)?.id ?? null };
    },
    text: async () => text,
  };
  return { calls, pages: () => pages };
}

describe("a wave whose sending was never answered is looked for on every page", () => {
  it("of OpenAI's list, by its mark", async () => {
    const batches = ["w1", "w2", "w3", "w9", "w0"].map((id, n) => ({
      ...{ id: `batch_${n}`, created_at: AFTER / 1000, metadata: { lamp_eval_wave: id } },
    }));
    const { calls, pages } = paged(batches, "after");
    const wire = openaiBatches(calls, access, wireAt("/responses"));
    expect(await wire.find(wave, noAbort())).toEqual({ batch: "batch_3" });
    expect(pages()).toBe(2);
  });

  it("of Anthropic's list, by the ids of its lines", async () => {
    const batches = Array.from({ length: 5 }, (_, n) => ({
      ...{ id: `msgbatch_${n}`, created_at: new Date(AFTER).toISOString(), processing_status: "ended" },
      ...{ request_counts: { succeeded: n === 4 ? 1 : 7 }, results_url: "there" },
    }));
    const line = JSON.stringify({ custom_id: "0123-w9", result: { type: "expired" } });
    const { calls, pages } = paged(batches, "after_id", line);
    expect(await anthropicBatches(calls, access, wireAt("/v1/messages")).find(wave, noAbort())).toEqual({
      batch: "msgbatch_4",
    });
    expect(pages()).toBe(3);
  });
});

describe("a wave holds no more", () => {
  const wire: BatchWire = {
    ...anthropicBatches(paged([], "after_id").calls, access, wireAt("/v1/messages")),
    most: { lines: 10, bytes: 350 },
    line: (id) => id.padEnd(99, "x"),
  };
  const queueWith = (more: Partial<Queue>): Queue => {
    const queue = new Queue({ ...scripted(() => replyOf("x")), batch: wire });
    queue.lines = Array.from({ length: 10 }, (_, n) => ({
      ...{ key: `k${n}`, request: ask("x"), tokens: 10 },
      ...{ resolve: () => undefined, reject: () => undefined },
    }));
    return Object.assign(queue, { mostTokens: 1000, ...more });
  };
  it.each([
    ["bytes than its provider takes", {}, 3],
    ["lines", { mostLines: 2 }, 2],
    ["tokens than may be out", { mostTokens: 25 }, 2],
    ["tokens than those out leave room for", { mostTokens: 25, tokensOut: 20 }, 0],
    ["than one line where even that is too much", { mostTokens: 5 }, 1],
  ])("%s", (_, more, count) => {
    expect(queueWith(more).next("w").texts).toHaveLength(count);
  });
});
