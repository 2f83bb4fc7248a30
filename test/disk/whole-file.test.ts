import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { JsonArrayFile } from "../../src/data/prepare.js";
import { FileError } from "../../src/disk/file-error.js";
import { GrowingFile, growTogether, makePrivateFolder, writeWhole } from "../../src/disk/whole-file.js";
import { UsageError } from "../../src/errors.js";
import { countingDisk, type FailingDisk, faultyCall, fullDisk } from "../helpers/failing-disk.js";
import { tempDir } from "../helpers/temp-dir.js";

let disk: FailingDisk | undefined;
afterEach(() => disk?.restore());

/** What a failing write said; undefined where it succeeded. */
function refused(work: () => void): UsageError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  } finally {
    disk?.restore();
  }
}

describe("a file that is written as a whole", () => {
  test("stands complete after short writes, for its owner alone", () => {
    const path = join(tempDir(), "a", "b.json");
    disk = faultyCall(3, "short");
    writeWhole(path, "one two three");
    expect(readFileSync(path, "utf8")).toBe("one two three");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeWhole(`${path}.out`, "x", { shared: true });
    expect(statSync(`${path}.out`).mode & 0o444).not.toBe(0);
  });

  test("goes through no symbolic link: neither to a file, nor to none, nor by a file that grows", () => {
    const folder = tempDir();
    const [target, link] = [join(folder, "target"), join(folder, "link")];
    symlinkSync(target, link);
    for (const content of [undefined, "kept"]) {
      if (content !== undefined) writeFileSync(target, content);
      expect(refused(() => writeWhole(link, "x"))?.message).toMatch(/link: it is a symbolic link/);
      expect(refused(() => void new GrowingFile(link))?.message).toMatch(/link: it is a symbolic link/);
      expect(existsSync(target) ? readFileSync(target, "utf8") : undefined).toBe(content);
    }
    writeWhole("/dev/null", "x"); // no ordinary file: written in place
  });

  test("is the old one where the disk is full, at the first byte as at the last", () => {
    const folder = tempDir();
    const path = join(folder, "a.json");
    for (const bytes of [0, 9]) {
      writeFileSync(path, "old");
      disk = fullDisk(bytes);
      const error = refused(() => writeWhole(path, "0123456789"));
      expect(error?.message).toBe(
        `${path}: no space is left on the disk; what stood there before is unchanged; make some, then the same command goes on`,
      );
      expect(readFileSync(path, "utf8")).toBe("old");
      expect(readdirSync(folder)).toEqual(["a.json"]);
    }
  });

  test("is forced to the disk before it takes its name, and its name after", () => {
    disk = countingDisk();
    writeWhole(join(tempDir(), "a"), "text");
    expect(disk.changes).toEqual(["open", "write", "sync", "close", "rename", "sync"]);
  });
});

test("a folder that is made for runs is open to its owner alone; one that was there keeps its mode", () => {
  const path = join(tempDir(), "runs", "one");
  makePrivateFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  const old = join(tempDir(), "old");
  mkdirSync(old);
  chmodSync(old, 0o2775);
  makePrivateFolder(old);
  expect(statSync(old).mode & 0o7777).toBe(0o2775);
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

test("files that belong together get their names when all are on the disk: a full disk leaves the old ones", () => {
  const pair = (folder: string, text: string): void =>
    growTogether((grown) => {
      grown(new JsonArrayFile(join(folder, "users.json"))).add(text);
      grown(new GrowingFile(join(folder, "manifest.json"))).write(text);
    });
  const room = Buffer.byteLength('[\n"new"\n]\nnew');
  for (const bytes of [0, room - 3, room - 1, room]) {
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
  const writer = new JsonArrayFile(path);
  writer.finish();
  const next = openSync(path, "r");
  writer.drop();
  expect(readFileSync(next, "utf8")).toBe("[\n]\n"); // its number is not closed a second time
  closeSync(next);
});
