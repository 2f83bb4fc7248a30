import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { ReplayReport } from "../../src/report/replay.js";
import { readManifest } from "../../src/run/manifest.js";
import { latestRows } from "../../src/run/rows.js";
import { mediawikiServer } from "../helpers/mediawiki-server.js";
import { fakeKey } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { openaiDialect, QUERY, startAgentServer } from "./agents-server.js";

const cwd = suiteDir();
/** Where the replays run: nothing but the data and the cassette is there. */
const elsewhere = join(cwd, "elsewhere");
const methods = "prompt,rag,pag,react,persona-agent";
let sent: number;
let baseUrl: string;

/** Records over HTTP, exports, and stops every server. */
beforeAll(async () => {
  const model = await startAgentServer(openaiDialect);
  const wikipedia = await mediawikiServer({
    pages: [{ title: "Anglepoise", extract: "A lamp with a foldable arm." }],
    found: { [QUERY]: ["Anglepoise"] },
  });
  mkdirSync(elsewhere);
  const users = [reviewUser("ann", 5), reviewUser("bob", 4), reviewUser("cy", 6)];
  for (const folder of [cwd, elsewhere]) writeReviews(join(folder, "reviews"), users);
  baseUrl = `${model.url}/v1`;
  const recorded = await runCommandLine(`${command(methods)} --repeats 2 --out recorded`, {
    cwd,
    env: { ...openaiDialect.env, LAMP_EVAL_MEDIAWIKI_URL: wikipedia.endpoint },
  });
  expect(recorded.code, recorded.stderr).toBe(0);
  sent = model.requests.length;
  expect(wikipedia.requests.length).toBeGreaterThan(1);
  for (const out of [join(elsewhere, "tape"), join(elsewhere, "again.jsonl.gz")])
    expect(await runCommandLine(["cassette", "export", "recorded", "--out", out], { cwd })).toMatchObject({ code: 0 });
  await model.close();
  await wikipedia.close();
});

const command = (method: string) =>
  `run --task lamp3 --method ${method} --data reviews --model openai/local --base-url ${baseUrl}`;

/** No key, no server, no Wikipedia. */
const replay = (method: string, out: string, more = "", tape = "tape") =>
  runCommandLine(`${command(method)} --replay ${tape} --out ${out} ${more}`, { cwd: elsewhere });

const fileOf = (folder: string, name: string) => readFileSync(join(folder, name), "utf8");
const reportOf = (out: string): ReplayReport => JSON.parse(fileOf(join(elsewhere, out), "replay.json"));

describe("a run recorded over HTTP and replayed with every server gone", () => {
  test.each([1, 16])("gives the same rows, traces and unit records at concurrency %i", async (concurrency) => {
    const out = `at-${concurrency}`;
    const { code, stderr, stdout } = await replay(methods, out, `--repeats 2 --concurrency ${concurrency}`);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("0 calls sent");
    expect(stderr).toContain("all requests of 60 rows are the recorded ones");
    expect(stdout).not.toContain("SIMULATED");
    for (const name of ["rows.jsonl", "traces.jsonl", "units.jsonl"])
      expect(fileOf(join(elsewhere, out), name)).toBe(fileOf(join(cwd, "recorded"), name));
    expect(latestRows(join(elsewhere, out))).toHaveLength(60);
    expect(readManifest(join(elsewhere, out))).toMatchObject({ simulated: false, replay: { stale: 0 } });
    expect(reportOf(out)).toMatchObject({ stale: 0, changed: [], requests: [] });
  });

  test("the rows rest on what the server and Wikipedia said", () => {
    expect(sent).toBeGreaterThan(60);
    expect(fileOf(join(elsewhere, "at-1"), "traces.jsonl")).toContain("A lamp with a foldable arm.");
  });

  test("a packed cassette is the same cassette", async () => {
    expect((await replay("rag", "packed", "--repeats 2", "again.jsonl.gz")).code).toBe(0);
    expect(readManifest(join(elsewhere, "packed"))?.replay).toEqual(readManifest(join(elsewhere, "at-1"))?.replay);
  });

  test("the cassette of a replay has the calls of the recording", async () => {
    await runCommandLine("cassette export at-16 --out second", { cwd: elsewhere });
    const calls = (tape: string) =>
      fileOf(join(elsewhere, tape), "cassette.jsonl")
        .split("\n")
        .filter((line) => /^\{"(asked|search)":/.test(line));
    expect(calls("second")).toEqual(calls("tape"));
  });

  test("holds no key, no address and no folder of this machine", () => {
    const tape = fileOf(join(elsewhere, "tape"), "cassette.jsonl");
    for (const secret of [fakeKey, openaiDialect.env.OPENAI_API_KEY ?? fakeKey, cwd, "127.0.0.1"])
      expect(tape).not.toContain(secret);
  });
});

describe("a replay after one knob was changed", () => {
  test("fails the rows whose requests changed, names each with the nearest recorded one, and exits as stale", async () => {
    const { code, stdout, stderr } = await replay("prompt,rag", "changed", "--repeats 2 --set rag.k=1");
    expect(code).toBe(14);
    expect(stdout).toMatch(/rag: 12 of 12 failed and are not in the scores; record the cassette again to have them$/m);
    expect(stderr).toContain("the requests of 12 of 24 rows changed");
    expect(stderr).toMatch(/stale cassette: 12 requests are not in it/);
    const rows = latestRows(join(elsewhere, "changed"));
    const failed = rows.filter(({ outcome }) => outcome.kind === "failed");
    expect(failed).toHaveLength(12);
    const first = failed.find(({ question }) => question === "ann-q0")?.outcome;
    expect(first?.kind === "failed" ? first.error : "").toMatch(
      /^not in the cassette: answer request [0-9a-f]{16} of lamp3 rag( #2)?, unit ann\S*, question ann-q0; nearest recorded: [0-9a-f]{16} \(- .*\); replay\.md has the diff$/,
    );
    expect(readManifest(join(elsewhere, "changed"))?.replay?.stale).toBe(12);
  });

  test("lists the rows and the prompt diffs in replay.md and replay.json", async () => {
    const { changed, requests, rows } = reportOf("changed");
    expect(rows).toBe(24);
    expect(new Set(changed.map(({ method, why }) => `${method}: ${why}`))).toEqual(
      new Set(["rag: failed", "rag #2: failed"]),
    );
    expect(requests).toHaveLength(12);
    for (const { nearest, diff } of requests) {
      expect(nearest).toMatch(/^[0-9a-f]{16}$/);
      expect(diff).toMatch(/^- .*Review number/m);
    }
    const text = fileOf(join(elsewhere, "changed"), "replay.md");
    expect(text).toContain("- lamp3 rag, unit ann");
    expect(text).toContain("```diff");
    expect(text).toContain("it says nothing of how good a changed prompt is");
  });

  test("is the same at another concurrency, and begins anew in its folder", async () => {
    const before = fileOf(join(elsewhere, "changed"), "rows.jsonl");
    expect((await replay("prompt,rag", "changed", "--repeats 2 --set rag.k=1 --concurrency 1")).code).toBe(14);
    expect(fileOf(join(elsewhere, "changed"), "rows.jsonl")).toBe(before);
    expect((await replay("prompt,rag", "changed", "--repeats 2")).code).toBe(0);
    expect(reportOf("changed")).toMatchObject({ stale: 0, changed: [] });
  });

  test("a miss while a user is prepared fails all of the user's questions, and says so", async () => {
    const { code } = await replay("pag", "prepared", "--set pag.items=latest:1");
    expect(code).toBe(14);
    const errors = latestRows(join(elsewhere, "prepared")).map(({ outcome }) =>
      outcome.kind === "failed" ? outcome.error : "",
    );
    expect(errors).toHaveLength(6);
    for (const error of errors)
      expect(error).toMatch(
        /^preparing the user: not in the cassette: summary request \w+ of lamp3 pag, unit \S+, preparation; nearest recorded: \w+ \(- /,
      );
    expect(reportOf("prepared").stale).toBe(3);
  });
});
