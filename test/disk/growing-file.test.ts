import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { jsonArrayWriter } from "../../src/data/json-writer.js";
import { FileError } from "../../src/disk/file-error.js";
import { GrowingFile, growTogether, PartFile } from "../../src/disk/growing-file.js";
import { countingDisk, type FailingDisk, faultyCall, fullDisk } from "../helpers/failing-disk.js";
import { tempDir } from "../helpers/temp-dir.js";

const values = [{ id: "é" }, { id: "2" }];
const WHOLE = '[\n{"id":"é"},\n{"id":"2"}\n]\n';
let disk: FailingDisk | undefined;
afterEach(() => disk?.restore());

function write(path: string): void {
  const writer = jsonArrayWriter(path);
  for (const value of values) writer.write(value);
  writer.finish();
}

describe("a JSON array that is written element by element", () => {
  test("stands in full, forced to the disk before it has its name", () => {
    const folder = join(tempDir(), "new");
    disk = countingDisk();
    write(join(folder, "users.json"));
    expect(readFileSync(join(folder, "users.json"), "utf8")).toBe(WHOLE);
    expect(readdirSync(folder)).toEqual(["users.json"]);
    expect(disk.changes.indexOf("sync")).toBeLessThan(disk.changes.indexOf("rename"));
  });

  test("on a disk that fills up at any byte, or refuses any call, leaves the old file or the new one", () => {
    const faults = [
      ...Array.from({ length: Buffer.byteLength(WHOLE) }, (_, room) => () => fullDisk(room)),
      ...[0, 1, 2, 3].map((call) => () => faultyCall(call, "EIO")),
    ];
    for (const fault of faults) {
      const folder = tempDir();
      const path = join(folder, "users.json");
      writeFileSync(path, "old");
      disk = fault();
      expect(() => write(path)).toThrow(FileError);
      disk.restore();
      expect(["old", WHOLE]).toContain(readFileSync(path, "utf8"));
      expect(readdirSync(folder)).toEqual(["users.json"]);
      write(path);
      expect(readFileSync(path, "utf8")).toBe(WHOLE);
    }
  });

  test("that is given up leaves the old file", () => {
    const folder = tempDir();
    const writer = jsonArrayWriter(join(folder, "users.json"));
    writer.write(1);
    writer.drop();
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("pieces of all sizes stand in the order in which they came", () => {
  const path = join(tempDir(), "pieces.txt");
  const file = new GrowingFile(path);
  const sizes = [3, 65_536, 65_537, 5, 300_000, 1, 200_000, 100_000, 7, 1_100_000, 2];
  const pieces = sizes.map((size, p) => String.fromCharCode(97 + p).repeat(size));
  for (const [p, piece] of pieces.entries()) file.write(p % 2 === 0 ? piece : Buffer.from(piece));
  file.finish();
  expect(readFileSync(path, "utf8") === pieces.join("")).toBe(true);
});

test("files that belong together get their names when all are on the disk: a disk that fills up at any byte leaves the old ones", () => {
  const pair = (folder: string, text: string): void =>
    growTogether((grown) => {
      grown(jsonArrayWriter(join(folder, "users.json"))).write(text);
      grown(new GrowingFile(join(folder, "manifest.json"))).write(text);
    });
  const room = Buffer.byteLength('[\n"new"\n]\nnew');
  for (let bytes = 0; bytes <= room; bytes++) {
    const folder = tempDir();
    pair(folder, "old");
    disk = fullDisk(bytes);
    if (bytes < room) expect(() => pair(folder, "new")).toThrow(FileError);
    else pair(folder, "new");
    disk.restore();
    const text = bytes < room ? "old" : "new";
    expect(readdirSync(folder)).toEqual(["manifest.json", "users.json"]);
    expect(readFileSync(join(folder, "users.json"), "utf8")).toBe(`[\n"${text}"\n]\n`);
    expect(readFileSync(join(folder, "manifest.json"), "utf8")).toBe(text);
  }
});

test("a file that has its name is not taken away again", () => {
  const path = join(tempDir(), "users.json");
  const writer = jsonArrayWriter(path);
  writer.finish();
  const next = openSync(path, "r");
  writer.drop();
  expect(readFileSync(next, "utf8")).toBe("[\n]\n"); // its number is not closed a second time
  closeSync(next);
});

test("a file that arrives in parts holds all that was taken, over short writes and a full disk", () => {
  const path = join(tempDir(), "x.part");
  disk = faultyCall(0, "short");
  const first = new PartFile(path, "start");
  first.write(Buffer.from("abc"));
  first.close();
  disk.restore();
  disk = fullDisk(2);
  const second = new PartFile(path, "end");
  expect(() => second.write(Buffer.from("def"))).toThrow(/no space .*what came so far is safe/);
  second.close();
  expect(readFileSync(path, "utf8")).toBe("abcde");
  expect(existsSync(`${path}.new`)).toBe(false);
});
