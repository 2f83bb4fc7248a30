import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { jsonSplitter } from "../../src/data/json-split.js";
import { PastCopier } from "../../src/data/past-copier.js";
import { type Batch, BatchReader, readSize } from "../../src/data/question-batch.js";
import { seeded } from "../../src/random/seeded.js";
import { tasks } from "../../src/tasks/index.js";
import { tempDir } from "../helpers/temp-dir.js";
import { asking } from "./fixtures.js";

const task = { name: "lamp3", fields: tasks.get("lamp3").fields };

/** What two readings of a file of one record give: with its past's place known, and read as values. */
function twoReadings(past: string, around = (text: string) => text) {
  const text = around(`{"id": 7, "profile": ${past}, "input": ${JSON.stringify(asking("a bag"))}}`);
  const file = join(tempDir(), "questions.json");
  writeFileSync(file, `[${text}]`);
  let place: Batch["records"][number] | undefined;
  const splitter = jsonSplitter({
    file,
    read(bytes, at) {
      const { pastStart, pastEnd } = readSize(bytes, at, task);
      place = { number: 1, offset: at.offset, length: bytes.length, pastStart, pastEnd };
    },
  });
  splitter.feed(Buffer.from(`[${text}]`));
  const reader = new BatchReader(task);
  const read = (records: Batch["records"]) => {
    const { records: got, pasts, problem } = reader.read({ file, records });
    return { got, text: Buffer.from(pasts).toString(), problem };
  };
  try {
    return { copied: read([place!]), read: read([{ ...place!, pastStart: 0, pastEnd: 0 }]) };
  } finally {
    reader.close();
  }
}

const copied = (past: string): string | undefined => {
  const bytes = Buffer.from(past);
  const out = new Uint8Array(2 * bytes.length);
  const end = new PastCopier(task.fields).copy(bytes, 0, bytes.length, out, 0);
  return end < 0 ? undefined : Buffer.from(out.subarray(0, end)).toString();
};

const item = (more: string, text = "fine"): string => `{"id": "1", "text": "${text}", "score": "3"${more}}`;

describe("pasts that are copied", () => {
  it.each([
    ["as Python writes them", `[${item("")}, ${item(', "date": "2019-01-10"')}]`],
    ["in lines", `[\n  ${item("")},\n\t${item("")}\r\n ]`],
    [
      "with other fields, in other orders, null and bare values",
      '[{"score": 3, "n": 12, "gone": null, "b": true, "text": "", "id": 0}]',
    ],
    [
      "with signs as their numbers",
      `[${item("", '\\u00e9 \\u20ac \\ud83d\\ude00 \\/ \\" \\u0022 \\u005c \\\\ \\n \\u007f')}]`,
    ],
    ["with signs as UTF-8", `[${item(', "café": "é € 😀"', "é 😀")}]`],
    [
      "out of order, with ties and undated ones",
      `[${["2020", "2019-02-01", "", "2019-02-01", "2018-1"].map((date, i) => item(`${date && `, "date": "${date}"`}, "i": ${i}`)).join(",")}]`,
    ],
    [
      "with years that are numbers",
      `[${item(', "date": 2020')}, ${item(', "date": 2019')}, ${item(', "date": null')}]`,
    ],
    ["that are empty", "[ ]"],
    ["with long texts", `[${item("", `${"long ".repeat(40)}\\u00e9${" text".repeat(40)}`)}]`],
  ])("are what reading and writing them gives: %s", (_name, past) => {
    const two = twoReadings(past);
    expect(two.read.problem).toBeUndefined();
    expect(two.copied).toEqual(two.read);
    expect(copied(past)).toBe(two.read.text);
  });

  it.each([
    ["a control sign in a text", `[${item("", "a\u0001b")}]`],
    ["a new line in a text", `[\n${item("", "a\nb")}]`],
    ["an unknown escape", `[${item("", "\\x")}]`],
    ["an escape of three digits", `[${item("", "\\u12z4")}]`],
    ["half a sign", `[${item("", "\\ud83d \\u0001")}]`],
    ["a field twice", `[${item(', "id": "2"')}]`],
    ["a name that is a number", `[${item(', "b": 1, "7": 2')}]`],
    ["a name with an escape", `[${item(', "\\u0062": 1')}]`],
    ["a prototype", `[${item(', "__proto__": "x"')}]`],
    ["numbers that are written otherwise", `[${item(', "a": 1.50, "b": -0, "c": 1e3, "d": 12345678901234567890')}]`],
    ["a number with a zero before it", `[${item(', "a": 01')}]`],
    ["a list", `[${item(', "a": [1, {"b": 2}]')}]`],
    ["no id", '[{"text": "a", "score": 1}]'],
    ["no text", '[{"id": 1, "score": 1}]'],
    ["an id that is null", '[{"id": null, "text": "a", "score": 1}]'],
    ["a date that is none", `[${item(', "date": "2019-13-01"')}]`],
    ["a comma too many", `[${item("")},]`],
    ["a comma too few", `[${item("")} ${item("")}]`],
    ["a colon too few", '[{"id" "1"}]'],
    ["a comma too many in an item", '[{"id": "1", }]'],
    ["a word", "[nothing]"],
    ["a text", '["x"]'],
    ["too many names", `[${item(Array.from({ length: 40 }, (_, i) => `, "n${i}": 1`).join(""))}]`],
  ])("are read as values, or refused, as without copying: %s", (_name, past) => {
    expect(copied(past)).toBeUndefined();
    const two = twoReadings(past);
    expect(two.copied).toEqual(two.read);
  });

  it("are those of the last field of that name", () => {
    const again = twoReadings(`[${item("")}]`, (text) => text.replace(/}$/, ', "profile": []}'));
    expect(again.copied).toEqual(again.read);
    expect(again.read.text).toBe("[]");
  });

  it("are what reading gives, whatever stands in them", () => {
    const random = seeded("copied pasts");
    const one = (of: readonly string[]): string => of[random.below(of.length)]!;
    const signs = [
      "a",
      " ",
      "é",
      "😀",
      "\\n",
      '\\"',
      "\\\\",
      "\\/",
      "\\u00e9",
      "\\u0041",
      "\\ud83d\\ude00",
      "\\ud83d",
      "\\u0009",
      "{",
      "]",
      ",",
      "x".repeat(70),
    ];
    const text = (): string => Array.from({ length: random.below(6) }, () => one(signs)).join("");
    const space = (): string => one(["", "", " ", "\n"]);
    const value = (): string => one([`"${text()}"`, `"${text()}"`, "12", "0", "true", "null", "1.5", "[]"]);
    let declined = 0;
    for (let round = 0; round < 300; round++) {
      const items = Array.from({ length: random.below(4) }, (_, i) => {
        const fields = [`"id":${space()}"${i}"`, `"text": "${text()}"`, `"score":${one(["3", '"4"'])}`];
        const more = [
          `"date": "20${10 + random.below(9)}-0${1 + random.below(9)}-11"`,
          `"more": ${value()}`,
          `"${text()}": ${value()}`,
        ];
        const all = [...fields, ...more.filter(() => random.below(3) === 0)].sort(() => random.next() - 0.5);
        return `{${space()}${all.join(`,${space()}`)}${space()}}`;
      });
      const past = `[${space()}${items.join(`${space()},`)}${space()}]`;
      const two = twoReadings(past);
      expect(two.copied, past).toEqual(two.read);
      if (copied(past) === undefined) declined += 1;
    }
    expect(declined).toBeLessThan(200);
  });
});
