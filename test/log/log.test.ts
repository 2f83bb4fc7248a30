import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { type Entry, entryOf, isEntry, lineOf } from "../../src/log/entry.js";
import { LOG_FILE, openLog, readLog } from "../../src/log/log.js";
import { emptyState, fold, type State } from "../../src/log/state.js";
import { canonicalJson } from "../../src/text/content-id.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-log-"));
  folders.push(folder);
  return folder;
}

const plan: Entry = { t: "plan", plan: { format: 2 } };
const key = fc.constantFrom("a", "b", "c", "d").map((letter) => letter.repeat(64));
const text = fc.string({ unit: "grapheme", maxLength: 40 });
const usd = fc.double({ min: 0, max: 2, noNaN: true });
/** As a file keeps it: -0 becomes 0. */
const asKept = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ t: fc.constant("try" as const), key, upToUsd: usd }),
  fc.record(
    { t: fc.constant("answer" as const), key, kind: fc.constant("reply" as const), value: fc.jsonValue(), usd },
    { requiredKeys: ["t", "key", "kind", "value"] },
  ) as fc.Arbitrary<Entry>,
  fc.record({
    t: fc.constant("failure" as const),
    key,
    billed: fc.constantFrom("none" as const, "yes" as const, "unknown" as const),
    error: text,
  }),
  fc.record({
    t: fc.constant("failure" as const),
    key,
    billed: fc.constant("none" as const),
    error: text,
    final: fc.constant(true as const),
  }),
  fc.record({ t: fc.constant("fact" as const), name: text, value: fc.jsonValue().map(asKept) }) as fc.Arbitrary<Entry>,
);
const entries = fc.array(entry, { maxLength: 30 });

/** The state as plain values, without where answers stand. */
const plain = ({ answers, openTries, failures, facts, money, corrupt, end }: State) => ({
  answers: [...answers.keys()],
  open: [...openTries],
  failed: [...failures],
  facts: [...facts],
  money,
  corrupt,
  end,
});

/** Writes the entries with one process after another. */
function written(...processes: readonly (readonly Entry[])[]): string {
  const folder = newFolder();
  for (const process of processes) {
    const log = openLog(folder);
    for (const one of process) log.append(one);
    log.close();
  }
  return folder;
}

/** The state that these entries come to, with each process's open tries lost at its end. */
function stateOf(list: readonly Entry[]): State {
  const state = emptyState();
  for (const one of list) fold(state, one, { at: 0, length: 0 });
  return state;
}

describe("a log", () => {
  test("read again comes to the state of its entries, and gives every first answer back as it was put", () => {
    fc.assert(
      fc.property(entries, (list) => {
        const folder = written([plan, ...list]);
        const log = readLog(join(folder, LOG_FILE));
        expect(plain(log.state)).toEqual(plain(stateOf([plan, ...list])));
        for (const answered of log.state.answers.keys()) {
          const first = list.find((one) => one.t === "answer" && one.key === answered);
          expect(log.get(answered)).toEqual(JSON.parse(JSON.stringify(first)));
        }
        expect([...log.entries()]).toEqual(JSON.parse(JSON.stringify([plan, ...list])));
        log.close();
      }),
      { numRuns: 60 },
    );
  });

  test("cut at any byte is the log of the entries that stood there whole, and goes on", () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.nat(), (list, where, more) => {
        const folder = written([plan, ...list]);
        const path = join(folder, LOG_FILE);
        const bytes = readFileSync(path);
        const cut = where % (bytes.length + 1);
        truncateSync(path, cut);
        const whole = bytes.subarray(0, cut).toString("latin1").split("\n").length - 1;
        const log = openLog(folder);
        const kept = [plan, ...list].slice(0, whole);
        expect([...log.entries()]).toEqual(JSON.parse(JSON.stringify(kept)));
        log.append({ t: "fact", name: "more", value: more });
        log.close();
        const again = openLog(folder);
        expect(again.state.facts.get("more")).toBe(more);
        expect(again.state.corrupt).toEqual([]);
        again.close();
      }),
      { numRuns: 80 },
    );
  });

  test("with any byte flipped loses at most the lines that the byte touches, and names them; a lost answer is asked again", () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.integer({ min: 1, max: 255 }), (list, where, flip) => {
        const all = [plan, ...["one", "two"].map((name): Entry => ({ t: "fact", name, value: 1 })), ...list];
        const folder = written(all);
        const path = join(folder, LOG_FILE);
        const bytes = readFileSync(path);
        const at = where % bytes.length;
        bytes[at] = bytes[at]! ^ flip;
        writeFileSync(path, bytes);
        const lines = JSON.parse(JSON.stringify(all)) as Entry[];
        const log = openLog(folder);
        const read = [...log.entries()];
        expect(read.length).toBeGreaterThanOrEqual(lines.length - 2);
        let from = 0;
        for (const one of read) {
          const found = lines.findIndex((line, n) => n >= from && canonicalJson(line) === canonicalJson(one));
          expect(found).toBeGreaterThanOrEqual(from); // every line that is read was written, in its order
          from = found + 1;
        }
        const before = readFileSync(path).toString("latin1").split("\n").length - 1;
        expect(read.length + log.state.corrupt.length).toBe(before);
        log.append({ t: "answer", key: "e".repeat(64), kind: "reply", value: "new" });
        expect(log.get("e".repeat(64))?.value).toBe("new");
        log.close();
      }),
      { numRuns: 120 },
    );
  });

  test("counts a try that a dead process left open as possibly billed, in full and once, whoever opens it how often", () => {
    fc.assert(
      fc.property(fc.array(entries, { minLength: 1, maxLength: 4 }), (processes) => {
        const [first = [], ...later] = processes;
        const folder = written([plan, ...first], ...later);
        const once = openLog(folder);
        const { money } = once.state;
        const tries = processes.flat().filter(({ t }) => t === "try").length;
        expect(once.state.openTries.size).toBe(0);
        expect(money.tries + money.refused).toBe(tries);
        const most = processes.flat().reduce((sum, one) => sum + (one.t === "try" ? (one.upToUsd ?? 0) : 0), 0);
        expect(money.unknownBilledUpToUsd).toBeLessThanOrEqual(most + 1e-9);
        const before = { ...money };
        once.close();
        const again = openLog(folder);
        expect(again.state.money.tries).toBe(before.tries);
        expect(again.state.money.unknownBilledUpToUsd).toBeCloseTo(before.unknownBilledUpToUsd, 9);
        again.close();
      }),
      { numRuns: 60 },
    );
  });

  test("an open try and its end come to what was billed: nothing, its price, or at most what it may cost", () => {
    const [paid, refused, unknown] = ["a", "b", "c"].map((letter) => letter.repeat(64)) as [string, string, string];
    const folder = written(
      [plan, { t: "try", key: paid, upToUsd: 1 }, { t: "answer", key: paid, kind: "reply", value: 1, usd: 0.25 }],
      [
        { t: "try", key: refused, upToUsd: 1 },
        { t: "failure", key: refused, billed: "none", error: "429" },
        { t: "failure", key: refused, billed: "none", error: "429", final: true }, // the end of the call, not of a try
      ],
      [{ t: "try", key: unknown, upToUsd: 0.5 }],
      [{ t: "answer", key: unknown, kind: "reply", value: 1, usd: 0.2, from: "other" }],
    );
    const log = openLog(folder);
    expect(log.state.money).toEqual({
      tries: 2,
      replies: 1,
      refused: 1,
      unknown: 1,
      usd: 0.25,
      unknownBilledUpToUsd: 0.5,
    });
    log.close();
  });

  test("the end holds while it is the last line, and beside corrupt ones only where the run went on after all of them", () => {
    const end: Entry = { t: "end", rows: "0", by: "1" };
    const folder = written([plan, end]);
    const ended = (): boolean => {
      const log = readLog(join(folder, LOG_FILE));
      log.close();
      return log.state.end !== undefined;
    };
    expect(ended()).toBe(true);
    const log = openLog(folder);
    log.append({ t: "fact", name: "x", value: 1 });
    log.append(end);
    log.close();
    expect(ended()).toBe(true);
    for (const corruptLines of [1, 2]) {
      appendFileSync(join(folder, LOG_FILE), "rubbish\n");
      expect(ended()).toBe(false);
      const mended = openLog(folder);
      mended.append({ ...end, corruptLines });
      mended.close();
      expect(ended()).toBe(true);
    }
  });

  test.each([
    [null],
    [{ t: "plan" }],
    [{ t: "toString" }],
    [{ t: "answer", key: 7, kind: "reply" }],
    [{ t: "try", key: "k".repeat(100_000) }],
    [{ t: "try", key: "k", upToUsd: -1 }],
    [{ t: "batch", id: "b", model: "m", keys: [{}] }],
  ])("%j, which only others can have written, is no entry", (entry) => {
    expect(isEntry(entry)).toBe(false);
    if (entry !== null) expect(entryOf(lineOf(entry as unknown as Entry).subarray(0, -1))).toBeUndefined();
  });

  test("a failure after all tries is forgotten once an answer comes", () => {
    const failed = "f".repeat(64);
    const no: Entry = { t: "failure", key: failed, billed: "none", error: "down", final: true };
    const folder = written([plan, no]);
    const log = openLog(folder);
    expect(log.state.failures.get(failed)?.error).toBe("down");
    log.append({ t: "answer", key: failed, kind: "reply", value: 1 });
    log.close();
    const again = openLog(folder);
    expect(again.state.failures.size).toBe(0);
    again.close();
  });

  test("an entry that holds a secret is refused and not written", () => {
    const folder = newFolder();
    const log = openLog(folder, { secrets: ["sk-secret-1234"] });
    log.append(plan);
    expect(() => log.append({ t: "fact", name: "x", value: "key sk-secret-1234" })).toThrow(/key or login/);
    log.close();
    expect(readFileSync(join(folder, LOG_FILE), "utf8")).not.toContain("sk-secret");
  });

  test("is for its owner alone", () => {
    const folder = join(newFolder(), "run");
    openLog(folder).close();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, LOG_FILE)).mode & 0o777).toBe(0o600);
  });
});

describe("batches in a log", () => {
  const [a, b] = ["a".repeat(64), "b".repeat(64)];
  const batch: Entry = { t: "batch", id: "w1", model: "m", at: 1, keys: [a!, b!] };
  const tries: Entry[] = [a!, b!].map((one) => ({ t: "try", key: one, upToUsd: 1, batch: true }));

  test("are out until each request is answered, failed, or sent in another batch", () => {
    const folder = written([plan, ...tries, batch, { t: "batch", id: "w1", providerId: "batch_1" }]);
    const log = openLog(folder);
    expect([...log.state.batches.values()]).toMatchObject([{ id: "w1", providerId: "batch_1", lines: 2 }]);
    expect(log.state.money).toMatchObject({ tries: 0, unknownBilledUpToUsd: 0 }); // reserved by whoever takes it up
    log.append({ t: "answer", key: a!, kind: "reply", value: 1, usd: 0.5 });
    expect([...(log.state.batches.get("w1")?.keys ?? [])]).toEqual([b]);
    log.append({ t: "failure", key: b!, billed: "yes", error: "expired" });
    expect(log.state.batches.size).toBe(0);
    expect(log.state.money).toMatchObject({ tries: 2, usd: 0.5, unknownBilledUpToUsd: 1 });
    log.close();
  });

  test("that the provider never took are out no more", () => {
    const folder = written([plan, ...tries, batch, { t: "batch", id: "w1", state: "dropped" }]);
    const log = openLog(folder);
    expect(log.state.batches.size).toBe(0);
    expect(log.state.batchesSent).toBe(1);
    log.close();
  });
});

test("a pack that unpacks to far more than its size is refused at once, in one line", () => {
  const file = join(newFolder(), "bomb.pack");
  writeFileSync(file, gzipSync(Buffer.alloc(256 << 20)));
  expect(() => readLog(file)).toThrow(/bomb\.pack: it unpacks to more than \d+ bytes/);
});
