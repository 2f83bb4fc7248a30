import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readJsonArray, readJsonLines } from "../../src/data/records.js";
import { UsageError } from "../../src/errors.js";
import { tempDir } from "../helpers/temp-dir.js";

function fileWith(content: string | Buffer): string {
  const file = join(tempDir(), "f.json");
  writeFileSync(file, content);
  return file;
}

async function read(content: string | Buffer, fields?: readonly string[]) {
  const values: unknown[] = [];
  const facts = await readJsonArray(fileWith(content), async ({ value }) => void values.push(value), fields);
  return { values, facts };
}

describe("the streaming array reader", () => {
  it("reads what JSON.parse reads, over the ends of pieces too, and hashes the file", async () => {
    const records = Array.from({ length: 400 }, (_, i) => ({
      id: `0${i}`,
      text: `${'a "quote" \\ ]},[{ naïve 東京 🎬\n'.repeat(50)}${i}`,
      numbers: [1.5, -2e-7, i, 0],
      more: { "": [null, true, false, [], {}], ["__proto__"]: 1 },
    }));
    const { values, facts } = await read(JSON.stringify(records, null, 1));
    expect(values).toEqual(JSON.parse(JSON.stringify(records)));
    expect(facts.records).toBe(400);
    const small = await read('[{"id":"010"},{"id":"011"}]\n');
    expect(small.facts).toMatchObject({
      bytes: 28,
      around: [],
      sha256: "57a70a9f5726b203bb51c4c8639ce3eac55548af7739a68b6bb9727f9beb84ca",
    });
  });

  it("reads the arrays of fields, with other fields before or behind them", async () => {
    const golds = [{ id: "010", output: 'say "golds": [' }, 1, "two", [3]];
    const { values, facts } = await read(JSON.stringify({ other: { golds: [1] }, golds, task: "LaMP_1" }), ["golds"]);
    expect(values).toEqual(golds);
    expect(facts.around).toEqual({ other: { golds: [1] }, golds: [], task: "LaMP_1" });
    const both: unknown[] = [];
    const file = fileWith(JSON.stringify({ valid: [1], train: [2, 3] }));
    await readJsonArray(file, ({ field, value, number }) => void both.push([field, value, number]), ["train", "valid"]);
    expect(both).toEqual([
      ["valid", 1, 1],
      ["train", 2, 2],
      ["train", 3, 3],
    ]);
  });

  it("accepts a byte order mark and Windows line ends", async () => {
    expect((await read('\ufeff[1,\r\n "a"]\r\n')).values).toEqual([1, "a"]);
  });

  it.each([
    ["an HTML page", "<!DOCTYPE html><html>", /not valid JSON at line 1, column 1.*download it again/],
    ["an empty file", "", /the file is empty/],
    ["blanks only", " \n ", /expected a LaMP file/],
    ["a text cut inside a record", '[{"a": 1}, {"a": "x', /behind record 1: .*download it again/],
    ["trailing data", "[1, 2] [3]", /not valid JSON at line 1, column 8, /],
    ["a lone string", '"x"', /expected a LaMP file/],
    ["an object", '{"a": [1]}', /expected a LaMP file/],
    ["a missing comma", '[{"a":1} {"b":2}]', /at line 1, column 10, /],
    ["a broken record", '[{"a":1},{"a":tru}]', /at line 1, column 15, /],
    ["Latin-1 bytes", Buffer.from('[{"a":"caf\xe9"}]', "latin1"), /not UTF-8 text; save the file as UTF-8/],
    ["gzip", Buffer.from([0x1f, 0x8b, 8, 0]), /gzip/],
  ])("names file, place and fix for %s", async (_what, text, message) => {
    const file = fileWith(text);
    const failed = readJsonArray(file, () => undefined);
    await expect(failed).rejects.toThrow(UsageError);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow(/f\.json: [^\n]*$/);
  });
});

describe("JSON Lines", () => {
  it("are read line by line, blank lines passed over, and a broken line is named", async () => {
    const values: unknown[] = [];
    const file = fileWith('\ufeff{"a":1}\r\n\n"b"');
    await readJsonLines(file, ({ value, number }) => void values.push([number, value]));
    expect(values).toEqual([
      [1, { a: 1 }],
      [3, "b"],
    ]);
    await expect(readJsonLines(fileWith('1\n{"a"'), () => undefined)).rejects.toThrow(/f\.json: line 2: no JSON/);
  });
});
