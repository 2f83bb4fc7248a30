import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { formatWikiFixture } from "../../src/agent/tools/wiki-fixture.js";
import { rowsOf, unitRecordsOf } from "../../src/record/rows.js";
import type { ProviderServer, ProviderServerSettings, ServedRequest } from "../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import {
  anthropicDialect,
  bedrockDialect,
  callsOf,
  type Dialect,
  openaiDialect,
  QUERY,
  startAgentServer,
} from "./agents-server.js";

let server: ProviderServer;
afterEach(() => server.close());

interface Run {
  readonly dialect: Dialect;
  readonly method: string;
  readonly more?: string;
  readonly server?: ProviderServerSettings;
}

const calls = callsOf(["wikipedia", "episodic_memory"]);

/** One user with three past reviews and one question, whose text is `question`. */
const user = reviewUser("ann", 3, 1);

/** Runs persona-agent over the wire; returns what went out for the test question itself. */
async function play({ dialect, method, more = "", server: settings = {} }: Run) {
  const cwd = tempDir();
  server = await startAgentServer(dialect, settings);
  writeReviews(join(cwd, "reviews"), [user]);
  const pages = [{ title: "Balanced-arm lamp", summary: "A lamp with a {foldable} arm." }];
  const entry = { query: QUERY, retrieved: "2026-11-01", pages };
  writeFileSync(join(cwd, "wiki.json"), formatWikiFixture([entry]));
  const line = [
    `run --task lamp3 --method ${method} --data reviews --model ${dialect.model} --base-url ${dialect.baseUrl(server.url)} --set server.cache=off`,
    `--set temperature=none --set wiki.mode=replay --set wiki.fixture=wiki.json --out run ${more}`,
  ].join(" ");
  const again = (flags = "") => runCommandLine(`${line} ${flags}`, { cwd, env: dialect.env });
  return { again, folder: join(cwd, "run") };
}

const asksTheQuestion = ({ body }: ServedRequest): boolean => JSON.stringify(body).includes("Question 0 of ann");
const turns = (): ServedRequest[] => server.requests.filter(asksTheQuestion);

describe.each([anthropicDialect, bedrockDialect, openaiDialect])("persona-agent on $provider", (dialect) => {
  test("aligns and answers with two tools in one turn, in as many calls as the formula says", async () => {
    const { again, folder } = await play({ dialect, method: "persona-agent" });
    const { code, stderr } = await again();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const [n, A] = [3, 2];
    const probe = 1;
    expect(server.requests).toHaveLength(probe + (1 + (n * A + n + 1)) + A);
    const [row] = rowsOf(folder);
    expect(row).toMatchObject({ outcome: { kind: "answered" }, spend: { answer: { calls: A } } });
    expect(row?.incidents).toMatchObject({ "runs-with-two-tools": 1, "tool=episodic_memory": 1, "tool=wikipedia": 1 });
    expect(unitRecordsOf(folder)[0]?.spend).toMatchObject({
      summary: { calls: 1 },
      simulate: { calls: n * A },
      gradient: { calls: n },
      update: { calls: 1 },
    });
    expect(new Set(turns().map(dialect.tools).map(String))).toEqual(new Set(["wikipedia,episodic_memory"]));
    expect(JSON.stringify(turns()[0]?.body)).toContain("You are the assistant of a {careful} reviewer");
    const sent = server.requests.length;
    expect(await again()).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(sent);
  });

  test("a run that stops between two turns goes on with the second, the first turn's blocks as they came", async () => {
    const { again } = await play({ dialect, method: "persona-agent-wo-persona" });
    expect(await again("--max-calls 2")).toMatchObject({ code: 1 });
    expect(turns()).toHaveLength(1);
    const { code, stderr } = await again();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(turns()).toHaveLength(2);
    expect(turns()[1]?.body.messages).toContainEqual(dialect.sentBack(calls));
  });
});
