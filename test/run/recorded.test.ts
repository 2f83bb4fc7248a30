import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Entry } from "../../src/log/entry.js";
import { entryOf, lineOf } from "../../src/log/entry.js";
import { RunFolder } from "../../src/record/folder.js";
import { type BatchServer, startBatchServer } from "../helpers/batch-server.js";
import { type ProviderServer, startProviderServer } from "../helpers/provider-server.js";
import { chatReply, fakeKey, promptOf } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const at = (...names: string[]): string => join(cwd, ...names);
const type = (line: string) => runCommandLine(line, { cwd, env: { OPENAI_API_KEY: fakeKey } });
let server: ProviderServer;
let batches: BatchServer;
/** The question that the server refuses, and repeats in its error. */
const REFUSED = "Question 0 of bob";

beforeAll(async () => {
  server = await startProviderServer({
    reply: (request) => chatReply(request, "4"),
    fault: (request) =>
      promptOf(request).includes(REFUSED)
        ? { kind: "status", status: 400, message: `cannot read "${promptOf(request)}"` }
        : undefined,
  });
  batches = await startBatchServer();
  writeReviews(
    at("data"),
    ["ann", "bob", "cy", "dan"].map((id) => reviewUser(id, 4, 2)),
  );
  await type(`${asking()} --out done --max-failed 1`);
});
afterAll(async () => {
  await server.close();
  await batches.close();
});

const asking = (): string =>
  `run --task lamp3 --method prompt,rag --data data --model openai/rated --base-url ${server.url}/v1`;

/** The pack of the run, after a change. */
async function packed(name: string, change: (entries: Entry[]) => void, flags = ""): Promise<void> {
  expect((await type(`export done --form pack --out ${name}${flags}`)).code).toBe(0);
  const lines = gunzipSync(readFileSync(at(name)))
    .toString("utf8")
    .split("\n")
    .slice(0, -1);
  const entries = lines.map((line) => entryOf(Buffer.from(line))!);
  change(entries);
  writeFileSync(at(name), gzipSync(Buffer.concat(entries.map(lineOf))));
}

/** The scores that a pack claims. */
function scoresIn(entries: readonly Entry[]): { arms: string[]; scores: { value: number }[] }[] {
  const fact = entries.find((entry) => entry.t === "fact" && entry.name === "scores");
  return (fact as unknown as { value: ReturnType<typeof scoresIn> }).value;
}

test("a run whose calls went by batch is verified and replayed, as its pack is", async () => {
  const model = `--model openai/gpt-4.1-mini --base-url ${batches.url}/v1`;
  const line = `run --task lamp3 --method prompt --data data ${model} --batch`;
  expect((await type(`${line} --out batched`)).code).toBe(0);
  await type("export batched --form pack --out batched.pack");
  expect((await type("verify batched --data data")).code).toBe(0);
  expect((await type("verify batched.pack --data data")).code).toBe(0);
  expect((await type(`${line} --replay batched.pack --out replayed`)).code).toBe(0);
});

test("--reuse is given once for each shard", async () => {
  for (const shard of [1, 2]) await type(`${asking()} --shard ${shard}/2 --out s${shard} --max-failed 1`);
  const before = server.requests.length;
  const { stderr } = await type(`${asking()} --reuse s1 --reuse s2 --out joined --max-failed 1`);
  expect(stderr).toContain("14 replies reused");
  expect(server.requests.slice(before).every((request) => promptOf(request).includes(REFUSED))).toBe(true);
});

test("verify compares the scores of a pack that holds rows, too, and names arms that it invents", async () => {
  await packed("scored.pack", (entries) => {
    scoresIn(entries)[0]!.scores[0]!.value = 0;
  });
  const scored = await type("verify scored.pack --data data");
  expect([scored.code, scored.stdout]).toEqual([1, expect.stringContaining('"mae","value":0}')]);
  await packed("invented.pack", (entries) => {
    const all = scoresIn(entries);
    all.push({ ...all[0]!, arms: ["abcdefabcdef"] });
  });
  const invented = await type("verify invented.pack --data data");
  expect([invented.code, invented.stdout]).toEqual([1, expect.stringContaining("no arm of this run")]);
});

test("an error in which a server repeats the question stands in no pack without requests", async () => {
  await packed("bare.pack", () => undefined, " --without-requests");
  expect(gunzipSync(readFileSync(at("bare.pack"))).includes(REFUSED)).toBe(false);
  expect((await type("verify bare.pack --data data")).code).toBe(0);
});

test("replies that are none are missing, not internal errors", async () => {
  await packed("null.pack", (entries) => {
    for (const entry of entries) if (entry.t === "answer") Object.assign(entry, { value: null });
  });
  const { code, stdout } = await type("verify null.pack --data data");
  expect([code, stdout]).toEqual([1, expect.stringContaining("the log lacks")]);
});

test("a log whose plan alone is corrupt is gone on with; one whose line breaks were changed is refused, not begun anew", async () => {
  const [plan, ...rest] = readFileSync(at("done/log.jsonl"), "utf8").trimEnd().split("\n");
  cpSync(at("done"), at("spoilt"), { recursive: true });
  writeFileSync(at("spoilt/log.jsonl"), `${[`X${plan}`, ...rest].join("\n")}\n`);
  expect((await type(`${asking()} --out spoilt --max-failed 1`)).stderr).toContain("14 replies reused");
  writeFileSync(at("spoilt/log.jsonl"), `${[plan, ...rest].join("\r\n")}\r\n`);
  const settings = { onLost: () => undefined };
  expect(() => new RunFolder(at("spoilt"), settings)).toThrow("its line breaks were changed");
  expect(existsSync(at("spoilt/lock"))).toBe(false);
});

test("a finished run whose rows are made anew counts as unfinished until they stand", async () => {
  cpSync(at("done"), at("anew"), { recursive: true });
  const home = new RunFolder(at("anew"), { onLost: () => undefined });
  home.reopen(); // and is killed
  home.close();
  writeFileSync(at("anew/rows.jsonl"), "");
  const { code, stderr } = await type("export anew --form pack --out anew.pack");
  expect([code, stderr]).toEqual([2, expect.stringContaining("it has not finished")]);
});
