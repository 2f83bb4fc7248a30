import { statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ResponseStore } from "../../src/run/replies.js";
import { sha256 } from "../../src/text/content-id.js";
import type { ModelReply, ModelRequest } from "../../src/types/index.js";
import { tempDir } from "../helpers/temp-dir.js";

const request: ModelRequest = { messages: [{ role: "user", content: "naïve?" }], maxTokens: 8, sample: 0 };
const reply = (text: string): ModelReply => ({
  text,
  toolCalls: [],
  stop: "end",
  usage: { in: 1, out: 1 },
  model: "m",
});

test("a reply is found again by another process", () => {
  const path = join(tempDir(), "responses.jsonl");
  const store = new ResponseStore(path);
  store.put(sha256("a"), request, reply("é\n}"));
  store.close();
  const again = new ResponseStore(path);
  expect(again.get(sha256("a"))).toEqual(reply("é\n}"));
  expect(again.record(sha256("a"))?.request).toEqual(request);
  expect(again.get(sha256("b"))).toBeUndefined();
  again.close();
});

test("the first reply of a key stays", () => {
  const store = new ResponseStore(join(tempDir(), "responses.jsonl"));
  store.put(sha256("a"), request, reply("first"));
  store.put(sha256("a"), request, reply("second"));
  expect(store.get(sha256("a"))?.text).toBe("first");
  store.close();
});

test("a torn last reply is forgotten, the others are kept and the store goes on", () => {
  const path = join(tempDir(), "responses.jsonl");
  const store = new ResponseStore(path);
  store.put(sha256("a"), request, reply("a"));
  store.put(sha256("b"), request, reply("b"));
  store.close();
  truncateSync(path, statSync(path).size - 5);
  const again = new ResponseStore(path);
  expect([again.get(sha256("a"))?.text, again.get(sha256("b"))]).toEqual(["a", undefined]);
  again.put(sha256("b"), request, reply("b again"));
  expect(again.get(sha256("b"))?.text).toBe("b again");
  again.close();
});
