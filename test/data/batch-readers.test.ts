import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { batchReaders } from "../../src/data/batch-readers.js";
import { type Batch, BatchReader } from "../../src/data/question-batch.js";
import { readPasts, readSizes } from "../../src/data/read-in-batches.js";
import { tasks } from "../../src/tasks/index.js";
import { tempDir } from "../helpers/temp-dir.js";
import { asking, folderWith, review } from "./fixtures.js";

const task = { name: "lamp3", fields: tasks.get("lamp3").fields };

/** A thread of TypeScript, as the built package has one of JavaScript. */
function threadFile(): URL {
  const path = join(tempDir(), "thread.mjs");
  const loader = import.meta.resolve("tsx/esm/api");
  const thread = new URL("../../src/data/question-worker.ts", import.meta.url);
  writeFileSync(path, `import { register } from "${loader}";\nregister();\nawait import("${thread}");\n`);
  return pathToFileURL(path);
}

const record = (id: number): string =>
  JSON.stringify({ id, input: asking(`new ${id}`), profile: [review(`${id}-1`, `text é ${id}`, 3, "2019-01-10")] });

/** Records behind each other with commas between them, in a file, at its byte 100. */
function batchOf(ids: readonly number[], texts = ids.map(record)): Batch {
  let offset = 100;
  const records = texts.map((text, i) => {
    const place = { number: i + 1, offset, length: Buffer.byteLength(text), pastStart: 0, pastEnd: 0 };
    offset += place.length + 2;
    return place;
  });
  const file = join(tempDir(), "questions.json");
  writeFileSync(file, `${" ".repeat(100)}${texts.join(", ")}`);
  return { file, records };
}

const read = (batch: Batch, readers: ReturnType<typeof batchReaders>) =>
  readers.read(batch).then(({ records, pasts, problem }) => ({
    ids: records.map(({ query }) => query.id),
    pasts: records.map(({ start, length }) => Buffer.from(pasts.subarray(start, start + length)).toString()),
    problem,
  }));

describe("readers of batches in threads", () => {
  it("read what this thread reads, in the order in which they are asked, up to the first record that is not right", async () => {
    const batches = [
      batchOf([1, 2]),
      batchOf([3, 4, 5], [record(3), '{"id": 4}', record(5)]),
      batchOf([6]),
      batchOf([7], ['{"id": 7, "input": ']),
    ];
    const here = batchReaders(task, 0);
    const threads = batchReaders(task, 1, { worthThreads: 1, thread: threadFile() });
    try {
      expect(threads.width).toBeGreaterThan(here.width);
      const wanted = await Promise.all(batches.map((batch) => read(batch, here)));
      expect(await Promise.all(batches.map((batch) => read(batch, threads)))).toEqual(wanted);
      expect(wanted.map(({ ids }) => ids)).toEqual([["1", "2"], ["3"], ["6"], []]);
      expect(wanted[1]?.problem).toMatch(/questions.json: record 2: .*"profile" is missing/);
      expect(wanted[3]?.problem).toMatch(/record 1 at byte 100 is not valid JSON/);
    } finally {
      await threads.close();
    }
  });

  it("hash a file beside the others, as it is hashed here", async () => {
    const { file } = batchOf([1, 2]);
    const threads = batchReaders(task, 1, { worthThreads: 1, thread: threadFile() });
    try {
      expect(await threads.hash(file)).toBe(createHash("sha256").update(readFileSync(file)).digest("hex"));
      expect(batchReaders(task, 0).hash(file)).toBeUndefined();
    } finally {
      await threads.close();
    }
  });

  it("write the next batch where one was that is given back", () => {
    const reader = new BatchReader(task);
    const [small, large] = [batchOf([1]), batchOf([2], [record(2).replace("text é", `text${"x".repeat(2e6)}`)])];
    const room = reader.read(small).pasts.buffer as ArrayBuffer;
    expect(reader.read(small, room).pasts.buffer).toBe(room);
    const { records, pasts } = reader.read(large, room); // too small for it
    expect(pasts.buffer).not.toBe(room);
    expect(records.map(({ length }) => length)).toEqual([pasts.length]);
    reader.close();
  });

  it("name the record at which a file ends that was cut", () => {
    const { file, records } = batchOf([1, 2]);
    writeFileSync(file, readFileSync(file).subarray(0, 120));
    expect(new BatchReader(task).read({ file, records })).toMatchObject({
      records: [],
      problem: `${file}: ends before record 2; try again`,
    });
  });

  it("fail every batch of a thread that ends, also those that come later", async () => {
    const thread = new URL("data:text/javascript,throw new Error('no thread')");
    const readers = batchReaders(task, 1, { worthThreads: 1, thread });
    const asked = Array.from({ length: readers.width }, (_, i) => readers.read(batchOf([i])));
    for (const one of await Promise.allSettled(asked)) expect(one.status).toBe("rejected");
    await expect(readers.read(batchOf([9]))).rejects.toThrow(/thread/);
    await readers.close();
  });

  it("are not opened for files that one thread reads as fast", () => {
    expect(batchReaders(task, 31e6).width).toBe(1);
  });
});

describe("the second reading of a part", () => {
  const part = () => {
    const folder = folderWith({ "dev_questions.json": [1, 2, 3].map((id) => JSON.parse(record(id))) });
    return { folder, part: "dev", task: tasks.get("lamp3") };
  };

  it("gives every record with its own past, where the first reading found it", async () => {
    const place = part();
    const pasts: string[] = [];
    const found = await readSizes(place, batchReaders(task, 0), () => undefined);
    const [file] = await readPasts(place, found, batchReaders(task, 0), ({ query, past }) =>
      pasts.push(`${query.id} ${Buffer.from(past).toString()}`),
    );
    expect(pasts.map((text) => text.replace(/ .*"text":"([^"]*)".*/, ": $1"))).toEqual([
      "1: text é 1",
      "2: text é 2",
      "3: text é 3",
    ]);
    expect(file).toMatchObject({ records: 3, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it("refuses a file that was changed in between", async () => {
    const place = part();
    const found = await readSizes(place, batchReaders(task, 0), () => undefined);
    writeFileSync(join(place.folder, "dev_questions.json"), `[${record(1)}]`);
    await expect(readPasts(place, found, batchReaders(task, 0), () => undefined)).rejects.toThrow(
      /dev_questions.json: was changed while it was in use/,
    );
  });
});
