import { execFileSync } from "node:child_process";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readJsonArray } from "../../src/data/json-array.js";
import { jsonSplitter } from "../../src/data/json-split.js";
import { UsageError } from "../../src/errors.js";
import { seeded } from "../../src/random/seeded.js";
import type { Random } from "../../src/types/index.js";

function split(text: string | Buffer, chunk: number, field?: string) {
  const bytes = Buffer.from(text);
  const splitter = jsonSplitter({ file: "f.json", ...(field === undefined ? {} : { field }) });
  const reused = Buffer.alloc(chunk); // one buffer for all pieces, as the file reader does
  const records = [];
  for (let at = 0; at < bytes.length; at += chunk) {
    const length = bytes.copy(reused, 0, at, Math.min(at + chunk, bytes.length));
    records.push(...splitter.feed(reused.subarray(0, length)));
  }
  return { records, around: splitter.end() };
}

const TEXTS = [
  "",
  "plain",
  'a "quote"',
  "back\\slash\\",
  '\\"',
  "]},[{",
  "naïve 東京 🎬",
  "tab\tline\n",
  "\\\\",
  "\u0000",
];

function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 3 ? 4 : 6);
  const text = () => TEXTS[random.below(TEXTS.length)]! + TEXTS[random.below(TEXTS.length)]!;
  if (kind === 0) return text();
  if (kind === 1) return random.below(2000) - 1000;
  if (kind === 2) return [true, false, null][random.below(3)];
  if (kind === 3) return random.next() * 1e6;
  const size = random.below(4);
  if (kind === 4) return Array.from({ length: size }, () => randomValue(random, depth + 1));
  return Object.fromEntries(Array.from({ length: size }, (_, i) => [text() + i, randomValue(random, depth + 1)]));
}

describe("the streaming array reader", () => {
  it("finds what JSON.parse finds, whatever the chunk size and the spacing", () => {
    const random = seeded("json fuzz");
    for (let round = 0; round < 4000; round++) {
      const values = Array.from({ length: random.below(5) }, () => randomValue(random, 0));
      const text = JSON.stringify(values, null, [0, 1, 4][random.below(3)]!);
      const { records } = split(text, 1 + random.below(24));
      expect(records.map((record) => record.value)).toEqual(JSON.parse(text));
      for (const record of records) expect(Buffer.from(text)[record.offset]).not.toBe(0x20);
    }
  });

  it("refuses exactly the damaged texts that JSON.parse refuses", () => {
    const random = seeded("json damage");
    const alphabet = '[]{},:"\\ 1a';
    let refused = 0;
    for (let round = 0; round < 8000; round++) {
      const text = [...JSON.stringify([randomValue(random, 2), randomValue(random, 2)])];
      const at = random.below(text.length);
      text.splice(at, random.below(2), alphabet[random.below(alphabet.length)]!);
      const damaged = text.join("");
      let expected: unknown = "refused";
      try {
        const parsed: unknown = JSON.parse(damaged);
        if (Array.isArray(parsed)) expected = parsed;
      } catch {
        refused++;
      }
      let found: unknown = "refused";
      try {
        found = split(damaged, 1 + random.below(9)).records.map((record) => record.value);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
      expect(found, damaged).toEqual(expected);
    }
    expect(refused).toBeGreaterThan(1000);
  });

  it("reads the array inside an outputs file, with the task name before or behind it", () => {
    const golds = [
      { id: "010", output: "[1]" },
      { id: "011", output: 'say "golds": [' },
    ];
    for (let chunk = 1; chunk < 40; chunk++) {
      for (const text of [
        JSON.stringify({ task: 'LaMP_1 "golds"', golds }, null, 4),
        JSON.stringify({ other: { golds: [1] }, golds, task: 'LaMP_1 "golds"' }),
      ]) {
        const { records, around } = split(text, chunk, "golds");
        expect(records.map((record) => record.value)).toEqual(golds);
        expect(around).toMatchObject({ task: 'LaMP_1 "golds"', golds: [] });
      }
    }
  });

  it("accepts a byte order mark, and one before another", () => {
    for (const marks of ["\ufeff", "\ufeff\ufeff"])
      expect(split(`${marks} [1, 2]`, 1).records.map((record) => record.value)).toEqual([1, 2]);
  });

  it.each([
    ["an HTML page", "<!DOCTYPE html><html>", /HTML page, not JSON.*download it again/],
    ["an empty file", "", /the file is empty/],
    ["blanks only", " \n ", /no JSON array in it/],
    ["a text cut inside a record", '[{"a": 1}, {"a": "x', /truncated: .* inside record 2 \(begun at byte 11\)/],
    ["a text cut between records", '[{"a": 1},', /truncated: .* behind record 1/],
    ["trailing data", "[1, 2] [3]", /trailing data .* 2 records: found "\[3\]"/],
    ["a lone string", '"x"', /not a JSON array/],
    ["an object", '{"a": [1]}', /not a JSON array.*begins with/],
    ["a missing comma", '[{"a":1} {"b":2}]', /unexpected "\{" at byte 9, behind record 1/],
    ["two commas", "[1,,2]", /unexpected "," at byte 3/],
    ["a comma before the end", "[1,]", /unexpected "\]" at byte 3/],
    ["a broken record", '[{"a":1},{"a":tru}]', /record 2 at byte 9 is not valid JSON/],
    ["NaN", '[{"a":NaN}]', /record 1 at byte 1 is not valid JSON/],
    ["Latin-1 bytes", Buffer.from('[{"a":"ok"},{"a":"caf\xe9"}]', "latin1"), /record 2 at byte 12 is not UTF-8 text/],
    ["UTF-16", Buffer.from("\ufeff[1]", "utf16le"), /not UTF-8/],
    ["gzip", Buffer.from([0x1f, 0x8b, 8, 0]), /gzip/],
  ])("names file, place and fix for %s", (_what, text, message) => {
    for (const chunk of [1, 7, 4096]) {
      expect(() => split(text, chunk)).toThrow(UsageError);
      expect(() => split(text, chunk)).toThrow(message);
      expect(() => split(text, chunk)).toThrow(/^f\.json: [^\n]*$/);
    }
  });

  it("refuses a record that is larger than allowed by its number and size, and keeps none of it", () => {
    const refusal = /^f\.json: record 2 at byte 4 has 124 bytes, and at most 100 are read; cut its texts/;
    for (const chunk of [1, 50, 4096]) {
      const text = Buffer.from(`[1, {"a": "${"x".repeat(115)}"}, 2]`);
      expect(() => {
        const splitter = jsonSplitter({ file: "f.json", maxRecordBytes: 100 });
        for (let at = 0; at < text.length; at += chunk) splitter.feed(text.subarray(at, at + chunk));
      }).toThrow(refusal);
    }
    const unending = jsonSplitter({ file: "f.json", maxRecordBytes: 100 });
    unending.feed(Buffer.from(`["${"x".repeat(200)}`));
    expect(() => unending.end()).toThrow(/record 1 at byte 1 has 201 bytes, and at most 100/);
  });

  it("keeps no blanks without end in front of the array", () => {
    const blank = " ".repeat(2 ** 20);
    const front = jsonSplitter({ file: "f.json" });
    expect(front.feed(Buffer.from(blank))).toEqual([]);
    expect(() => front.feed(Buffer.from(blank))).toThrow("f.json: no JSON array in the first 1048576 bytes");
  });
});

describe("reading from a file", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "lamp-json-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("hands out records in order and the hash of the whole file", async () => {
    const file = join(folder, "a.json");
    await writeFile(file, '[{"id":"010"},{"id":"011"}]\n');
    const seen: unknown[] = [];
    const facts = await readJsonArray(file, async (record) => void seen.push(record.value), { chunkBytes: 5 });
    expect(seen).toEqual([{ id: "010" }, { id: "011" }]);
    expect(facts).toMatchObject({
      bytes: 28,
      records: 2,
      sha256: "57a70a9f5726b203bb51c4c8639ce3eac55548af7739a68b6bb9727f9beb84ca",
    });
  });

  it("says what is wrong with what a pipe gave, though the pipe stays open and silent", async () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const writer = await open(pipe, "r+");
    let isClosed = false;
    const close = async (): Promise<void> => {
      isClosed = true;
      await writer.close();
    };
    const late = setTimeout(close, 8000); // only where reading waits for more
    await writer.write("no JSON ".repeat(20));
    await expect(readJsonArray(pipe, () => {})).rejects.toThrow("not a JSON array");
    clearTimeout(late);
    expect(isClosed).toBe(false);
    await close();
  });

  it("names a missing file and a folder", async () => {
    await expect(readJsonArray(join(folder, "none.json"), () => {})).rejects.toThrow(/none\.json: no such file/);
    await expect(readJsonArray(folder, () => {})).rejects.toThrow(/is a folder/);
  });
});
