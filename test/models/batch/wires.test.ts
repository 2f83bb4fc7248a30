import { describe, expect, it } from "vitest";
import { anthropicBatches } from "../../../src/models/providers/anthropic/batches.js";
import { openaiBatches } from "../../../src/models/providers/openai/batches.js";
import type { BatchCalls } from "../../../src/models/wire/batch-calls.js";
import type { ModelAccess } from "../../../src/models/wire/failure.js";
import type { Wire } from "../../../src/models/wire/sdk.js";
import { BatchQueue } from "../../../src/outside/batch/queue.js";
import type { BatchWire } from "../../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

const access: ModelAccess = {
  model: "m",
  keyName: "KEY",
  secrets: [],
  billsRepliesOnly: true,
  limitHeaders: [],
  pagesMayPass: true,
};
const wireAt = (path: string): Wire => ({ path, body: () => ({}), read: () => replyOf("x") });
const facts = { id: "w9", lines: 1 };

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

describe("a batch whose sending was never answered is looked for on every page", () => {
  it("of OpenAI's list, by its mark", async () => {
    const batches = ["w1", "w2", "w3", "w9", "w0"].map((id, n) => ({
      ...{ id: `batch_${n}`, metadata: { lamp_eval_batch: id } },
    }));
    const { calls, pages } = paged(batches, "after");
    const wire = openaiBatches(calls, access, wireAt("/responses"));
    expect(await wire.find(facts, noAbort())).toEqual({ batch: "batch_3" });
    expect(pages()).toBe(2);
  });

  it("of Anthropic's list, by the ids of its lines", async () => {
    const batches = Array.from({ length: 5 }, (_, n) => ({
      ...{ id: `msgbatch_${n}`, archived_at: null, processing_status: "ended" },
      ...{ request_counts: { succeeded: n === 4 ? 1 : 7 }, results_url: "there" },
    }));
    const line = JSON.stringify({ custom_id: "0123-w9", result: { type: "expired" } });
    const { calls, pages } = paged(batches, "after_id", line);
    expect(await anthropicBatches(calls, access, wireAt("/v1/messages")).find(facts, noAbort())).toEqual({
      batch: "msgbatch_4",
    });
    expect(pages()).toBe(3);
  });
});

const listed = {
  id: "batch_1",
  created_at: "1999-01-01T00:00:00Z", // the clock of one of both is wrong
  metadata: { lamp_eval_batch: "w9" },
  processing_status: "ended",
  archived_at: null,
  request_counts: { succeeded: 1 },
};

describe.each([
  ["OpenAI's", openaiBatches, "/responses"],
  ["Anthropic's", anthropicBatches, "/v1/messages"],
] as const)("%s list of batches", (_, open, path) => {
  const found = (page: unknown) => {
    const text = JSON.stringify({ custom_id: "0123-w9" });
    const calls: BatchCalls = { post: async () => ({}), get: async () => page, text: async () => text };
    return open(calls, access, wireAt(path)).find(facts, noAbort());
  };
  it("is searched by our own id, whatever the clocks say", async () => {
    expect(await found({ data: [listed], has_more: false })).toEqual({ batch: "batch_1" });
    expect(await found({ data: [], has_more: false })).toBe("none");
  });

  it.each([
    ["a login page", "<html>Sign in</html>"],
    ["null", null],
    ["nothing", undefined],
    ["an empty object", {}],
    ["an error with status 200", { error: { message: "try later" } }],
    ["a list without its envelope", []],
    ["no end", { data: [] }],
    ["an object for a list", { data: {}, has_more: false }],
    ["entries that are null", { data: [null], has_more: false }],
    ["entries without an id", { data: [{ object: "batch" }], has_more: false }],
    ["an id that is empty", { data: [{ id: "" }], has_more: false }],
    ["more behind nothing", { data: [], has_more: true }],
  ])("that is %s is no list without the batch", async (__, page) => {
    await expect(found(page)).rejects.toMatchObject({ retryable: true, bill: "due" });
  });
});

describe("a batch holds no more", () => {
  const wire: BatchWire = {
    ...anthropicBatches(paged([], "after_id").calls, access, wireAt("/v1/messages")),
    most: { lines: 10, bytes: 350 },
    line: (id) => id.padEnd(99, "x"),
  };
  const queueWith = (more: Partial<BatchQueue>): BatchQueue => {
    const queue = new BatchQueue({ ...scripted(() => replyOf("x")), batch: wire });
    queue.pending = Array.from({ length: 10 }, (_, n) => ({
      ...{ key: `k${n}`, request: ask("x"), tokens: 10 },
      ...{ resolve: () => undefined, reject: () => undefined },
    }));
    return Object.assign(queue, { mostTokens: 1000, ...more });
  };
  it.each([
    ["bytes than its provider takes", {}, 3],
    ["lines", { mostLines: 2 }, 2],
    ["tokens than may be out", { mostTokens: 25 }, 2],
    ["tokens than those out leave room for", { mostTokens: 25, tokensInFlight: 20 }, 0],
    ["than one line where even that is too much", { mostTokens: 5 }, 1],
  ])("%s", (_, more, count) => {
    expect(queueWith(more).next("w").lines).toHaveLength(count);
  });
});
