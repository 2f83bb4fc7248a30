import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { realCalls, replaceCalls } from "../../src/disk/calls.js";
import {
  appendWhole,
  makePrivateFolder,
  makeWholeFolder,
  writeTogether,
  writeWhole,
} from "../../src/disk/whole-file.js";
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

describe("files that are written together", () => {
  /** What is done to the disk: files by their endings, the folder as `/`. */
  function done(work: () => void): string[] {
    const [log, opened] = [[] as string[], new Map<number, string>()];
    const endingOf = (path: string) =>
      statSync(path, { throwIfNoEntry: false })?.isDirectory() ? "/" : path.slice(-1);
    const restore = replaceCalls({
      ...realCalls,
      open(path, flags, mode) {
        const file = realCalls.open(path, flags, mode);
        opened.set(file, endingOf(path.replace(/\.\d+\.new$/, "")));
        return file;
      },
      sync: (file) => log.push(`sync ${opened.get(file)}`),
      rename(from, to) {
        realCalls.rename(from, to);
        log.push(`rename ${endingOf(to)}`);
      },
    });
    try {
      work();
    } finally {
      restore();
    }
    return log;
  }

  test("are each on the disk before they take their names, and the names behind the last, also where a later one fails", () => {
    const folder = tempDir();
    const write = (name: string): void => writeWhole(join(folder, name), "x");
    const both = ["sync a", "rename a", "sync b", "rename b"];
    expect(
      done(() => {
        writeTogether(() => ["a", "b"].forEach(write));
        write("c");
      }),
    ).toEqual([...both, "sync /", "sync c", "rename c", "sync /"]);
    const failing = (): void =>
      writeTogether(() => {
        ["a", "b"].forEach(write);
        throw new UsageError("no more");
      });
    expect(done(() => expect(failing).toThrow("no more"))).toEqual([...both, "sync /"]);
  });
});

describe("a file that is written as a whole", () => {
  test("stands complete after short writes, for its owner alone", () => {
    const path = join(tempDir(), "a", "b.json");
    disk = faultyCall(3, "short");
    writeWhole(path, ["one ", Buffer.from("two "), "three"]);
    expect(readFileSync(path, "utf8")).toBe("one two three");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeWhole(`${path}.out`, "x", { shared: true });
    expect(statSync(`${path}.out`).mode & 0o444).not.toBe(0);
  });

  test("is the old one or the new one, at whatever byte the disk is full", () => {
    const folder = tempDir();
    const path = join(folder, "a.json");
    for (let bytes = 0; bytes < 10; bytes++) {
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

  test.each(["ENOSPC", "EROFS", "EACCES", "EPERM", "EIO", "EDQUOT"] as const)(
    "is the old one or the new one, and the failure one line, whichever call is refused with %s",
    (code) => {
      const path = join(tempDir(), "a.json");
      disk = countingDisk();
      writeWhole(path, "new");
      disk.restore();
      const calls = disk.changes.length;
      expect(calls).toBeGreaterThan(3);
      for (let n = 0; n < calls; n++) {
        writeFileSync(path, "old");
        disk = faultyCall(n, code);
        const error = refused(() => writeWhole(path, "new"));
        const stands = readFileSync(path, "utf8");
        const safe = stands === "old" ? "is unchanged" : "it is written, but a power cut may still take it";
        if (error !== undefined)
          expect(error.message).toMatch(new RegExp(`^\\S+a\\.json: [^\\n]+${safe}; [^\\n]+ goes on$`));
        expect(["old", "new"]).toContain(stands);
      }
    },
  );

  test("is forced to the disk before it takes its name, and its name after", () => {
    disk = countingDisk();
    writeWhole(join(tempDir(), "a"), "text");
    expect(disk.changes).toEqual(["open", "write", "sync", "close", "rename", "sync"]);
  });

  test("behind a link is the file that the link names", () => {
    const folder = tempDir();
    writeFileSync(join(folder, "real"), "old");
    symlinkSync(join(folder, "real"), join(folder, "link"));
    writeWhole(join(folder, "link"), "new");
    expect(readFileSync(join(folder, "real"), "utf8")).toBe("new");
  });

  test("a device is written to, not replaced", () => {
    writeWhole("/dev/null", "text");
    expect(statSync("/dev/null").isFile()).toBe(false);
  });

  test("a folder where a file is needed is told in one line", () => {
    const folder = tempDir();
    expect(() => writeWhole(folder, "text")).toThrow(/a folder stands where a file is needed/);
    expect(existsSync(folder)).toBe(true);
  });
});

test("what is written behind a file stands there in full or not at all", () => {
  const path = join(tempDir(), "summary.md");
  writeFileSync(path, "before\n");
  for (const fault of ["one byte", "one byte short", "ENOSPC"] as const) {
    disk = faultyCall(1, fault);
    expect(refused(() => appendWhole(path, "behind\n"))?.message).toContain("what stood there before is unchanged");
    expect(readFileSync(path, "utf8")).toBe("before\n");
  }
});

test("what is written behind a file again, after a refusal that came too late, does not stand there twice", () => {
  const path = join(tempDir(), "summary.md");
  for (const _again of [1, 2]) appendWhole(path, "verdict\n");
  expect(readFileSync(path, "utf8")).toBe("verdict\n");
  appendWhole(path, "other\n");
  expect(readFileSync(path, "utf8")).toBe("verdict\nother\n");
});

test("a folder that is made as a whole stands complete or not at all, whichever call is refused", () => {
  const folder = tempDir();
  const make = (name: string): void =>
    makeWholeFolder(join(folder, name), (fresh) => {
      writeWhole(join(fresh, "a"), "one");
      writeWhole(join(fresh, "b"), "two");
    });
  disk = countingDisk();
  make("counted");
  disk.restore();
  const count = disk.changes.length;
  expect(count).toBeGreaterThan(10);
  for (let n = 0; n < count; n++) {
    disk = faultyCall(n, "EIO");
    refused(() => make(`${n}`));
    const stands = readdirSync(folder).filter((name) => name.startsWith(`${n}`) && !name.startsWith(`${n}.`));
    for (const name of stands) expect(readdirSync(join(folder, name)), `call ${n}`).toEqual(["a", "b"]);
  }
});

test("a folder for runs is open to its owner alone, also one that was there", () => {
  const path = join(tempDir(), "runs", "one");
  makePrivateFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  const old = join(tempDir(), "old");
  mkdirSync(old, { mode: 0o755 });
  makePrivateFolder(old);
  expect(statSync(old).mode & 0o777).toBe(0o700);
});
