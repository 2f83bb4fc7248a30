import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Journal, readJournal } from "../../src/run/journal.js";
import { tempDir } from "../helpers/temp-dir.js";

test("records come back in order, whatever they contain", () => {
  const path = join(tempDir(), "j.jsonl");
  const records = [{ text: "line\nbreak }\n{" }, { text: "日本語 \u2028" }, { nested: { "}": ["{"] } }];
  const journal = new Journal(path);
  for (const record of records) journal.append(record);
  journal.close();
  expect([...readJournal(path)]).toEqual(records);
});

test("a file that does not exist is an empty journal", () => {
  expect([...readJournal(join(tempDir(), "none"))]).toEqual([]);
});

test("a record cut anywhere is lost alone, and the next one is whole", () => {
  const folder = tempDir();
  const whole = join(folder, "whole.jsonl");
  const journal = new Journal(whole);
  journal.append({ n: 1 });
  const { offset, length } = journal.append({ n: 2, text: "a longer record" });
  journal.close();
  const bytes = readFileSync(whole);
  for (let end = offset; end < offset + length; end++) {
    const path = join(folder, `cut-${end}.jsonl`);
    appendFileSync(path, bytes);
    truncateSync(path, end);
    const again = new Journal(path);
    again.append({ n: 3 });
    again.close();
    expect([...readJournal<{ n: number }>(path)].map(({ n }) => n)).toEqual([1, 3]);
  }
});

test("another writer's torn record does not swallow its neighbour", () => {
  const path = join(tempDir(), "j.jsonl");
  const journal = new Journal(path);
  journal.append({ n: 1 });
  appendFileSync(path, '\n{"n":2,"to');
  journal.append({ n: 3 });
  journal.close();
  expect([...readJournal<{ n: number }>(path)].map(({ n }) => n)).toEqual([1, 3]);
});

test("records longer than a read chunk survive", () => {
  const path = join(tempDir(), "j.jsonl");
  const journal = new Journal(path);
  const long = "x".repeat(3_000_000);
  journal.append({ long });
  journal.append({ after: true });
  journal.close();
  expect([...readJournal(path)]).toEqual([{ long }, { after: true }]);
});
