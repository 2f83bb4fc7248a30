import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readManifest, writeManifest } from "../../src/run/manifest.js";
import { sealsOf } from "../../src/run/seals.js";
import { embeddingsServer } from "../embedders/embeddings-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { editRecords } from "../helpers/with-checks.js";

const cwd = suiteDir();
const type = (line: string) => runCommandLine(line, { cwd });
const runs = {
  done: "run --task lamp3 --method rag,pag --data data --out",
  online: "run --task lamp3 --method rag --data data --online --set wiki.mode=off --out",
} as const;
type Run = keyof typeof runs;

beforeAll(async () => {
  writeReviews(
    join(cwd, "data"),
    ["ann", "bob", "cy"].map((id) => reviewUser(id)),
  );
  for (const [name, line] of Object.entries(runs))
    expect((await type(`${line} ${name}`)).stderr).toContain("calls sent");
  expect((await type("run --task lamp2m --method react --users 3 --out searched")).code).toBe(0);
});

/** The run with one file changed, every check and every seal made anew: the hand that knows everything. */
function forged(run: string, file: string, change: (text: string) => string): string {
  const copy = `${run.replace("/", "-")}-${file}-${Math.random()}`;
  const folder = join(cwd, copy);
  cpSync(join(cwd, run), folder, { recursive: true });
  const before = readFileSync(join(folder, file), "utf8");
  editRecords(join(folder, file), change);
  expect(readFileSync(join(folder, file), "utf8")).not.toBe(before);
  seal(folder);
  return copy;
}

function seal(folder: string): void {
  const manifest = readManifest(folder)!;
  writeManifest(folder, { ...manifest, records: sealsOf(folder) });
}

const failing = async (run: string, data = "--data data"): Promise<string> => {
  const { code, stdout, stderr } = await type(`verify ${run} ${data}`);
  expect(code, `${stdout}${stderr}`).toBe(1);
  return stdout;
};

describe("a finished run whose seals were forged too", () => {
  test.each(["done", "online"] as const)(
    "%s: an edited reply of a row is named, and no rerun makes it pass",
    async (run: Run) => {
      const copy = forged(run, "rows.jsonl", (text) => text.replace(/"reply":"\d"/, '"reply":"5 stars"'));
      const named = /rows\.jsonl line \d+: question \w+-q\d: outcome is .*5 stars.*, the stored replies give /;
      expect(await failing(copy)).toMatch(named);
      expect((await type(`${runs[run]} ${copy}`)).stderr).toContain("0 calls sent");
      expect(await failing(copy)).toMatch(named);
    },
  );

  test.each(["done", "online"] as const)("%s: an edited stored reply is named by its row", async (run) => {
    const copy = forged(run, "responses.jsonl", (text) => text.replace(/"text":"\d"/, '"text":"4 stars"'));
    const named = /rows\.jsonl line \d+: question \w+-q\d: outcome is .*, the stored replies give .*4 stars/;
    expect(await failing(copy)).toMatch(named);
    await type(`${runs[run]} ${copy}`);
    expect(await failing(copy)).toMatch(named);
  });

  test.each(["rows.jsonl", "units.jsonl", "responses.jsonl"])("an edited token count in %s is named", async (file) => {
    const copy = forged("done", file, (text) => text.replace(/"in":(\d+)/, '"in":9$1'));
    expect(await failing(copy)).toMatch(/(rows|units)\.jsonl line \d+: .*: spend is .*, the stored replies give /);
  });

  test("an edited incident is named", async () => {
    const copy = forged("done", "rows.jsonl", (text) => text.replace('"incidents":{}', '"incidents":{"made-up":1}'));
    expect(await failing(copy)).toMatch(/rows\.jsonl line 1: .*: incidents is \{"made-up":1\}/);
  });

  test("a stored reply that is gone is named by its request and its row", async () => {
    const copy = forged("done", "responses.jsonl", (text) => text.split("\n").slice(1).join("\n"));
    expect(await failing(copy)).toMatch(/line \d+: .*\(responses\.jsonl: no reply to request \w{16}/);
  });
});

describe("what cannot be made again", () => {
  test("rows of a program are not checked, by name, and the run does not pass", async () => {
    writeFileSync(join(cwd, "mine.sh"), '#!/bin/sh\nwhile read -r line; do echo \'{"reply":"4"}\'; done\n', {
      mode: 0o755,
    });
    const made = await type("run --task lamp3 --method exec:./mine.sh,prompt --data data --max-failed 1 --out program");
    expect(made.code, made.stderr).toBe(0);
    const said = await failing("program");
    expect(said).not.toContain("FAILED");
    expect(said).toMatch(/^not checked +recomputed +exec:\S*: a program that may call out/m);
    expect(said).toMatch(/^ok +recomputed /m);
  });

  test("a method of a plug-in that is not at hand is named", async () => {
    writeFileSync(
      join(cwd, "mine.mjs"),
      'export default { name: "mine", methods: [{ name: "mine", summary: "s", source: "none", options: {}, plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ answer: { low: 0, high: 1 } }) }), personalize: async () => async () => "4" }] };\n',
    );
    const made = await type("run --task lamp3 --method mine --plugin ./mine.mjs --data data --out plugged");
    expect(made.code, made.stderr).toBe(0);
    expect(await failing("plugged")).toMatch(/^not checked +recomputed +.*plug-in mine/m);
    const whole = await type("verify plugged --data data --plugin ./mine.mjs");
    expect(whole.code, whole.stdout).toBe(0);
  });

  test("rows over vectors of an embedder that calls out: made again from them, and not checked, by name, where they are gone", async () => {
    const server = await embeddingsServer();
    const dense = `--set rag.retriever=dense --set embedder=openai/small --set embedder.baseUrl=${server.url}`;
    const line = `run --task lamp3 --method rag,prompt --data data ${dense} --out dense`;
    const made = await runCommandLine(line, { cwd, env: { OPENAI_API_KEY: "sk-embedder-0123456789" } });
    expect(made.code, made.stderr).toBe(0);
    expect((await type("verify dense --data data")).stdout).toMatch(/^ok +recomputed /m);
    const file = join(cwd, "dense", "vectors.jsonl");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.slice(1).join("\n"));
    seal(join(cwd, "dense"));
    const holed = await failing("dense");
    expect(holed).toMatch(/^not checked +recomputed +rag: a vector of embedder openai\/small is not in the run: /m);
    expect(holed).not.toContain("FAILED");
    rmSync(file);
    seal(join(cwd, "dense"));
    const said = await failing("dense");
    expect(said).toMatch(/^not checked +recomputed +rag: no vectors of embedder openai\/small \(\w+\) in the run$/m);
  });

  test("what stands there of an unfinished run is made again", async () => {
    await type("run --task lamp3 --method pag --data data --out partial --max-calls 4 --concurrency 1");
    expect((await type("verify partial --data data")).stdout).toMatch(/^ok +recomputed /m);
    rmSync(join(cwd, "partial", "responses.jsonl"));
    expect(await failing("partial")).toContain("no reply to request");
  });
});
