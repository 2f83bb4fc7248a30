import { mkdtempSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { loadDataset } from "../../src/data/load.js";
import { readParquet } from "../../src/data/parquet.js";
import { tasks } from "../../src/tasks/index.js";
import type { Dataset } from "../../src/types/index.js";

const review = tasks.get("longlamp-review");

const item = { overall: "5.0", summary: 'He said "yes"', description: null, reviewText: "Line one.\nLine two." };
const rows = [
  {
    reviewerId: "A",
    input: 'Write, "quoted"\nand broken',
    output: "Good.",
    profile: [item, { ...item, summary: "b" }],
  },
  { reviewerId: "B", input: "Write again", output: 42, profile: [{ ...item, overall: 4 }] },
  { reviewerId: "A", input: "A third time", output: "Fine.", profile: [item] },
];

async function folderOf(name: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), "longlamp-")), name);
  await mkdir(folder);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  return folder;
}

const load = (
  path: string,
  task = review,
  more: { heldBytes?: number; emptyProfile?: "keep" } = {},
): Promise<Dataset> => loadDataset({ task, path, lamp1Labels: "auto", emptyProfile: "error", seed: 0, ...more });

const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join("\n");

const parquetOf = (values: typeof rows, groupRows = 2): Buffer =>
  Buffer.from(
    parquetWriteBuffer({
      rowGroupSize: groupRows,
      columnData: [
        { name: "reviewerId", data: values.map((row) => row.reviewerId), type: "STRING" },
        { name: "input", data: values.map((row) => row.input), type: "STRING" },
        { name: "output", data: values.map((row) => String(row.output)), type: "STRING" },
        { name: "profile", data: values.map((row) => row.profile), type: "JSON" },
      ],
    }),
  );

describe("LongLaMP's tables", () => {
  test("are the same users and questions as JSON, JSON Lines and Parquet, held or read again", async () => {
    const files = {
      "test.json": JSON.stringify(rows),
      "test.jsonl": `\uFEFF${lines(rows)}\n`,
      "test-00000-of-00001.parquet": parquetOf(rows),
    };
    const forms = Object.entries(files).flatMap(([name, content]) =>
      [0, 2 ** 20].map(async (heldBytes) => [
        ...(await load(await folderOf("t", { [name]: content }), review, { heldBytes })).users,
      ]),
    );
    const [first, ...others] = await Promise.all(forms);
    for (const other of others) expect(other).toEqual(first);
    expect(first!.map(({ id, queries }) => [id, queries.map(({ id, gold }) => [id, gold])])).toEqual([
      ["A", [["t/test/0", "Good."], ["t/test/2", "Fine."]]],
      ["B", [["t/test/1", "42"]]],
    ]); // biome-ignore format: one user a line
    expect(first![0]!.queries[0]!.profile![0]).toEqual({ id: "r1", session: "1", ...item, description: "" });
    expect(first![1]!.queries[0]!.profile![0]!.overall).toBe("4");
  });

  test("histories are in an order of time in the temporal setting alone", async () => {
    const file = { "test.jsonl": lines(rows) };
    const [user, temporal] = await Promise.all(
      ["product_review_user", "product_review_temporal"].map(async (name) => load(await folderOf(name, file))),
    );
    expect([user!.ordered, temporal!.ordered]).toEqual([false, true]);
  });

  test("the test part is asked, the training part is the pool", async () => {
    const train = [{ ...rows[1], reviewerId: "T" }];
    const folder = await folderOf("t", {
      "test.jsonl": lines(rows),
      "val.jsonl": lines([]),
      "train.jsonl": lines(train),
    });
    const data = await load(folder);
    expect(data.users.length).toBe(2);
    expect(data.others?.map(({ id }) => id)).toEqual(["T"]);
  });

  test.each([
    ["a missing column", { input: "i", output: "o", profile: [] }, 'row 1: the row: field "reviewerId" is missing'],
    [
      "a missing profile",
      { reviewerId: "A", input: "i" },
      'row 1: user A: field "profile" is missing; expected an array',
    ],
    [
      "a missing field",
      { reviewerId: "A", input: "i", profile: [{ overall: 1 }] },
      'row 1: user A, profile item 1 (id "r1"): field "summary" is missing',
    ],
    [
      "an empty profile",
      { reviewerId: "A", input: "i", profile: [] },
      "row 1: user A (question t/test/0) has an empty profile; use --set data.emptyProfile=keep",
    ],
  ])("%s is refused in one sentence that names file, row and column", async (_what, row, message) => {
    const folder = await folderOf("t", { "test.jsonl": lines([row]) });
    await expect(load(folder)).rejects.toThrow(`${join(folder, "test.jsonl")}: ${message}`);
  });

  test("a Parquet row group that would fill the memory, and a cut file, are refused by name", async () => {
    const folder = await folderOf("t", {
      "a.parquet": parquetOf(rows),
      "cut.parquet": parquetOf(rows).subarray(0, 50),
    });
    const large = readParquet(join(folder, "a.parquet"), () => undefined, 10);
    await expect(large).rejects.toThrow(/a\.parquet: row group 1 \(rows 1 to 2\): has \d+ bytes, and at most 10 bytes/);
    await expect(load(join(folder, "cut.parquet"))).rejects.toThrow(/cut\.parquet: no Parquet file/);
    const name = Array.from({ length: 40_000 }, () => "x".repeat(10_000)); // one value in a dictionary, 400 MB of text
    const dense = parquetWriteBuffer({ columnData: [{ name: "name", data: name }], rowGroupSize: name.length });
    expect(dense.byteLength).toBeLessThan(100_000);
    writeFileSync(join(folder, "dense.parquet"), Buffer.from(dense));
    await expect(readParquet(join(folder, "dense.parquet"), () => undefined)).rejects.toThrow(
      /dense\.parquet: row group 1 \(rows 1 to 40000\): has more text, and at most/,
    );
  });
});
