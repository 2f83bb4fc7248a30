import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import { framedRecords, Journal, openDamage, readDamage, readJournal } from "../../src/run/journal.js";
import { type FailingDisk, faultyCall, fullDisk } from "../helpers/failing-disk.js";
import { tempDir } from "../helpers/temp-dir.js";

interface Numbered {
  readonly n: number;
  readonly text?: string;
}

const records: readonly Numbered[] = [{ n: 1, text: 'a "quoted" é' }, { n: 2 }, { n: 3, text: '"#":"1:00000000"}' }];

function written(): string {
  const path = join(tempDir(), "journal.jsonl");
  const journal = new Journal(path);
  for (const record of records) journal.append(record);
  journal.close();
  return path;
}

const numbers = (path: string): number[] => [...readJournal<Numbered>(path)].map(({ n }) => n);

let disk: FailingDisk | undefined;
afterEach(() => disk?.restore());

describe("a journal", () => {
  test("is ordinary JSON Lines: every line is a record, with its length and checksum last", () => {
    const lines = readFileSync(written(), "utf8").split("\n");
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line).n)).toEqual([1, 2, 3]);
    expect(lines[1]).toBe('{"n":2,"#":"6:6668bd82"}');
  });

  // A test for each record: together they take a second, and on a busy machine too long for one.
  test.each([...records.keys()])(
    "with any one bit of record %i flipped loses at most that record, sets it aside by line, and never lies",
    (own) => {
      const bytes = readFileSync(written());
      const ends = [...bytes.keys()].filter((i) => bytes[i] === 0x0a);
      const others = records.filter((_, at) => at !== own);
      for (let i = own === 0 ? 0 : ends[own - 1]! + 1; i <= ends[own]!; i++) {
        for (const bit of [i % 8, (i + 5) % 8]) {
          const path = join(tempDir(), "journal.jsonl");
          const flipped = Buffer.from(bytes);
          flipped[i] = bytes[i]! ^ (1 << bit);
          writeFileSync(path, flipped);
          const journal = new Journal(path);
          const read = [...readJournal<Numbered>(path)];
          const where = `byte ${i} bit ${bit}`;
          expect([records, others], where).toContainEqual(read);
          if (read.length < records.length) {
            expect(journal.damage[0]?.line ?? own + 1, where).toBe(own + 1);
            if (own < records.length - 1 || flipped.at(-1) === 0x0a) expect(journal.damage, where).not.toEqual([]);
          }
          expect(openDamage(dirname(path))).toEqual(journal.damage);
          journal.append({ n: 4 });
          journal.close();
          expect(numbers(path).at(-1), where).toBe(4);
          expect([...readDamage(path)], where).toEqual([]);
        }
      }
    },
  );

  test("of several megabytes is told by the same lines and places, whatever piece of it a record stands in", () => {
    const path = join(tempDir(), "journal.jsonl");
    const journal = new Journal(path);
    for (const [n, kilobytes] of [400, 1, 2500, 700, 700, 0, 3].entries())
      journal.append({ n, text: "é".repeat(512 * kilobytes) });
    journal.close();
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('{"n":4') + 20] = 0x78;
    writeFileSync(path, bytes);
    const frames = [...framedRecords(path)];
    expect(frames.map(({ line }) => line)).toEqual([1, 2, 3, 4, 6, 7]);
    expect([...readDamage(path)].map(({ line }) => line)).toEqual([5]);
    for (const { offset, length, line } of frames)
      expect(JSON.parse(bytes.toString("utf8", offset, offset + length)).n).toBe(line - 1);
    expect(numbers(path)).toEqual([0, 1, 2, 3, 5, 6]);
  });

  test("sets the same damage aside once, though it is found again", () => {
    const path = written();
    const damaged = readFileSync(path, "utf8").replace('"n":2', '"n":7');
    for (let i = 0; i < 2; i++) {
      writeFileSync(path, damaged);
      new Journal(path).close();
    }
    expect(openDamage(dirname(path))).toHaveLength(1);
  });

  test("that reads a record which was damaged since it was opened says so", () => {
    const path = written();
    const journal = new Journal(path);
    const [, second] = [...framedRecords(path)];
    writeFileSync(path, readFileSync(path, "utf8").replace('"n":2', '"n":7'));
    expect(journal.read(second!)).toBeUndefined();
    journal.close();
  });

  test("on a disk that fills up at any byte keeps every record before, and goes on when there is room", () => {
    const whole = readFileSync(written()).length;
    for (let bytes = 0; bytes < whole; bytes++) {
      const path = join(tempDir(), "journal.jsonl");
      const journal = new Journal(path);
      disk = fullDisk(bytes);
      const put: number[] = [];
      let message = "";
      try {
        for (const record of records) {
          journal.append(record);
          put.push(record.n);
        }
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        message = error.message;
      }
      disk.restore();
      expect(message).toMatch(/no space is left on the disk; every record that stands in it is safe; make some/);
      expect(numbers(path)).toEqual(put);
      journal.append({ n: 9 });
      journal.close();
      expect(numbers(path)).toEqual([...put, 9]);
      expect(existsSync(join(dirname(path), "damaged.jsonl"))).toBe(false);
    }
  });

  test("writes a record in full over short writes", () => {
    const path = join(tempDir(), "journal.jsonl");
    const journal = new Journal(path);
    disk = faultyCall(0, "short");
    journal.append({ n: 1 });
    disk.restore();
    journal.close();
    expect(numbers(path)).toEqual([1]);
  });
});
