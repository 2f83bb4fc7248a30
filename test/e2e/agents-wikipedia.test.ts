import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { formatWikiFixture } from "../../src/agent/tools/wiki-fixture.js";
import { rowsOf, tracesOf } from "../../src/record/rows.js";
import { type MediawikiServer, mediawikiServer, type ServedPage } from "../helpers/mediawiki-server.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { openaiDialect, QUERY, startAgentServer } from "./agents-server.js";

const pages: readonly ServedPage[] = [
  { title: "Balanced-arm lamp", extract: "A lamp with a foldable arm." },
  { title: "Anglepoise", redirect: "Balanced-arm lamp" },
  { title: "Desk lamp (disambiguation)", extract: "may refer to", disambiguation: true },
];
const found = { [QUERY]: ["Anglepoise", "Desk lamp (disambiguation)", "Lost page"] };
const shown = "Page: Anglepoise\nSummary: A lamp with a foldable arm.";

const cwd = suiteDir();
let model: ProviderServer;
let wikipedia: MediawikiServer;
/** Model requests made before the test that runs. */
let begun: number;

beforeAll(async () => {
  model = await startAgentServer(openaiDialect);
  writeReviews(join(cwd, "reviews"), [reviewUser("ann"), reviewUser("bob")]);
});
afterAll(() => model.close());
beforeEach(async () => {
  wikipedia = await mediawikiServer({ pages, found });
  begun = model.requests.length;
});
afterEach(() => wikipedia.close());

function run(mode: string, out: string, more = "") {
  const line = `run --task lamp3 --method react --data reviews --model openai/local --base-url ${model.url}/v1 --set wiki.mode=${mode} --out ${out} ${more}`;
  const outside = { LAMP_EVAL_MEDIAWIKI_URL: wikipedia.endpoint, LAMP_EVAL_CONTACT: "someone@example.org" };
  return runCommandLine(line, { cwd, env: { ...openaiDialect.env, ...outside } });
}

const asked = (): string[] =>
  wikipedia.requests.map(({ parameters }) => parameters.get("meta") ?? parameters.get("list") ?? "pages");
/** Rows of a run without the id of their arm, which holds the wiki settings. */
const rowsIn = (out: string) => rowsOf(join(cwd, out)).map(({ arm: _, ...row }) => row);
const remarksOf = (out: string): string => readFileSync(join(cwd, out, "results.md"), "utf8");
const bodiesSince = (index: number): string[] =>
  model.requests
    .slice(index)
    .map(({ body }) => JSON.stringify(body))
    .sort();

/** What the first call of every agent run brought. */
function observations(out: string): string[] {
  return [...tracesOf(join(cwd, out))].flatMap(({ notes }) =>
    notes.flatMap(({ kind, data }) =>
      kind === "agent" ? ((data as unknown as Steps).steps[0]?.calls ?? []).map(({ observation }) => observation) : [],
    ),
  );
}
interface Steps {
  readonly steps: readonly { readonly calls: readonly { readonly observation: string }[] }[];
}

describe("the wikipedia tool of a run", () => {
  test("live: is tried once before the first call, asked once for each search, and says who asks", async () => {
    const { code, stderr } = await run("live", "live");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(asked()).toEqual(["siteinfo", "search", "pages"]); // four questions, one search
    expect(observations("live")).toEqual([shown, shown, shown, shown]);
    expect(new Set(wikipedia.requests.map(({ userAgent }) => userAgent))).toEqual(
      new Set([expect.stringMatching(/^lamp-eval\/\d\S* \(someone@example\.org\)$/)]),
    );
    expect(remarksOf("live")).toContain("wikipedia: live");
  });

  test("replay of a file, and --reuse: no request to Wikipedia, the same requests to the model, the same rows", async () => {
    expect(await run("live", "first")).toMatchObject({ code: 0 });
    const live = bodiesSince(begun);
    const before = { model: model.requests.length, wikipedia: wikipedia.requests.length };
    const page = { title: "Anglepoise", summary: "A lamp with a foldable arm." };
    writeFileSync(
      join(cwd, "pages.json"),
      formatWikiFixture([{ query: QUERY, retrieved: "2026-11-01", pages: [page] }]),
    );
    expect(await run("replay", "replayed", "--set wiki.fixture=pages.json")).toMatchObject({ code: 0 });
    expect(remarksOf("replayed")).toContain("wikipedia: replay (retrieved: 2026-11-01)");
    expect(wikipedia.requests).toHaveLength(before.wikipedia);
    expect(bodiesSince(before.model)).toEqual(live);
    expect(rowsIn("replayed")).toEqual(rowsIn("first"));
    expect(rowsIn("replayed")).toHaveLength(4);

    const calls = model.requests.length;
    expect(await run("live", "reused", "--reuse first")).toMatchObject({ code: 0 });
    expect(asked().filter((request) => request === "search")).toHaveLength(1);
    expect(model.requests.length).toBe(calls);
    expect(rowsIn("reused")).toEqual(rowsIn("first"));
  });

  test("replay: what is not recorded says so and is counted, and no request goes out", async () => {
    writeFileSync(join(cwd, "empty.json"), formatWikiFixture([]));
    const { code } = await run("replay", "missing", "--set wiki.fixture=empty.json");
    expect(code).toBe(0);
    expect(wikipedia.requests).toEqual([]);
    expect(observations("missing")[0]).toMatch(/Nothing is recorded for this topic/);
    for (const row of rowsIn("missing")) expect(row.incidents).toMatchObject({ "wiki-replay-miss": 1 });
  });

  test("replay without the named fixture is refused before any call", async () => {
    const { code, stderr } = await run("replay", "no-fixture", "--set wiki.fixture=nope.json");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^lamp-eval: wiki\.fixture=\S*nope\.json: there is no such file$/m);
    expect(model.requests).toHaveLength(begun);
  });

  test("live without a reachable API stops before the first call and names replay and off", async () => {
    await wikipedia.close();
    const { code, stderr } = await run("live", "unreachable");
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^lamp-eval: wiki\.mode=\w+: the Wikipedia API cannot be used \(.*ECONNREFUSED.*\), and react would search it; use --set wiki\.mode=replay .*--set wiki\.mode=off$/m,
    );
    expect(model.requests).toHaveLength(begun);
  });

  test("replay on data of one's own takes a named recording, never that of the demo data", async () => {
    const { code, stderr } = await run("replay", "unnamed");
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^lamp-eval: wiki\.mode=replay: name a recorded file with --set wiki\.fixture=FILE, .*live or off; the built-in recording/m,
    );
    expect(model.requests).toHaveLength(begun);
  });

  test("one that breaks down later costs observations, equal searches alike, not the run, which verifies and replays as it was", async () => {
    await wikipedia.close();
    wikipedia = await mediawikiServer({ pages, found, faults: { 1: { status: 500, body: "down" } } });
    expect(await run("live", "broken", "--concurrency 1")).toMatchObject({ code: 0 });
    expect(asked()).toEqual(["siteinfo", "search"]);
    expect(observations("broken")).toEqual(Array(4).fill("Tool error: Wikipedia: status 500"));
    const { code, stdout } = await runCommandLine("verify broken --data reviews", { cwd });
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(await runCommandLine("export broken --form pack --out broken.pack", { cwd })).toMatchObject({ code: 0 });
    const again = `run --task lamp3 --method react --data reviews --model openai/local --replay broken.pack --data reviews --out again`;
    expect(await runCommandLine(again, { cwd, env: openaiDialect.env })).toMatchObject({ code: 0 });
    expect(observations("again")).toEqual(observations("broken"));
  });

  test("a run taken up again tries a search that failed once more, and asks for no other again; it verifies", async () => {
    await wikipedia.close();
    wikipedia = await mediawikiServer({ pages, found, faults: { 1: { status: 500, body: "down" } } });
    expect(await run("live", "parts", "--concurrency 1 --max-calls 2")).toMatchObject({ code: 1 });
    expect(asked()).toEqual(["siteinfo", "search"]);
    expect(await run("live", "parts", "--concurrency 1 --max-calls 7")).toMatchObject({ code: 1 });
    expect(await run("live", "parts", "--concurrency 1")).toMatchObject({ code: 0 });
    expect(asked().filter((request) => request === "search")).toHaveLength(2);
    expect(observations("parts")).toEqual([shown, shown, shown, shown]);
    expect(await runCommandLine("verify parts --data reviews", { cwd })).toMatchObject({ code: 0 });
  });
});
