import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { checkedText, readManifest } from "../../src/run/manifest.js";
import { sha256 } from "../../src/text/content-id.js";
import { embeddingsServer } from "../embedders/embeddings-server.js";
import { fakeKey, startRatedServer } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string, env: Record<string, string> = {}) => runCommandLine(line, { cwd, env });
const rag = "run --task lamp3 --method rag --data reviews";
const text = (...names: string[]) => readFileSync(join(cwd, ...names), "utf8");

beforeAll(async () => {
  writeReviews(join(cwd, "reviews"), [reviewUser("ann"), reviewUser("bob")]);
  writeReviews(join(cwd, "others"), [reviewUser("ann"), reviewUser("eve")]);
  writeFileSync(join(cwd, "answer.sh"), "#!/bin/sh\ncat\n", { mode: 0o755 });
  expect((await run(`${rag} --out recorded`)).code).toBe(0);
  expect((await run("cassette export recorded --out tape")).code).toBe(0);
});

/** Writes the tape with other lines, its end fitted to them. */
function retaped(name: string, change: (lines: string[]) => string[]): string {
  const lines = change(text("tape", "cassette.jsonl").trimEnd().split("\n").slice(0, -1));
  const body = lines.map((line) => `${line}\n`).join("");
  mkdirSync(join(cwd, name));
  const end = JSON.stringify({ end: { lines: lines.length, sha256: sha256(body) } });
  writeFileSync(join(cwd, name, "cassette.jsonl"), `${body}${end}\n`);
  return name;
}

describe("lamp-eval cassette", () => {
  test("export writes the same bytes again, sorted by key", async () => {
    const { stdout } = await run("cassette export recorded --out tape-2");
    expect(stdout).toMatch(/^tape-2\/cassette\.jsonl: cassette [0-9a-f]{12}, 4 calls, .*SIMULATED/);
    expect(text("tape-2", "cassette.jsonl")).toBe(text("tape", "cassette.jsonl"));
    const keys = [...text("tape", "cassette.jsonl").matchAll(/^\{"call":"(\w+)"/gm)].map(([, key]) => key);
    expect(keys).toHaveLength(4);
    expect(keys).toEqual([...keys].sort());
  });

  test("a run with equal replies gives an equal cassette, whatever the order of its calls", async () => {
    await run(`${rag} --out recorded-2 --concurrency 1`);
    await run("cassette export recorded-2 --out tape-3");
    expect(text("tape-3", "cassette.jsonl")).toBe(text("tape", "cassette.jsonl"));
  });

  test("show says what is in it, and that the embedded model's replies are SIMULATED", async () => {
    const { stdout } = await run("cassette show tape");
    expect(stdout).toMatch(/4 calls, .*SIMULATED/);
    expect(stdout).toContain("data lamp3: users.json");
    expect(stdout).toMatch(/lamp3 +reviews +rag +offline\/lexical +1 +4/);
    expect(JSON.parse((await run("cassette show tape --json")).stdout)).toMatchObject({
      simulated: true,
      complete: true,
      counts: { calls: 4 },
    });
  });

  test("import begins a run that calls for nothing the cassette holds", async () => {
    expect((await run("cassette import tape --out seeded")).stdout).toMatch(/^seeded: 4 replies .*SIMULATED.*0 were/);
    expect((await run("cassette import tape --out seeded")).stdout).toMatch(/^seeded: 0 replies .*4 were there/);
    const { code, stderr } = await run(`${rag} --out seeded`);
    expect(code).toBe(0);
    expect(stderr).toContain("0 calls sent, 4 replies from the store");
    expect(text("seeded", "rows.jsonl")).toBe(text("recorded", "rows.jsonl"));
  });

  test("a cassette of a run without calls is told", async () => {
    mkdirSync(join(cwd, "empty"));
    const { "#": _check, records: _seals, ...manifest } = JSON.parse(text("recorded", "manifest.json"));
    writeFileSync(join(cwd, "empty", "manifest.json"), checkedText(manifest));
    expect((await run("cassette export empty --out none")).stderr).toContain("no replies yet");
  });
});

describe("run --replay", () => {
  test("keeps the SIMULATED mark of the recording", async () => {
    const { code, stdout, stderr } = await run(`${rag} --replay tape --out replayed`);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("SIMULATED");
    expect(stdout).toMatch(/replayed from cassette [0-9a-f]{12}/);
    expect(readManifest(join(cwd, "replayed"))).toMatchObject({ simulated: true, replay: { stale: 0 } });
    expect(text("replayed", "replay.md")).toContain("SIMULATED");
  });

  test("has a folder of its own by default", async () => {
    const { stderr } = await run(`${rag} --replay tape`);
    expect(stderr).toMatch(/everything is in results\/lamp3-rag-[0-9a-f]{8}-replay$/m);
  });

  test("answers a part of what was recorded", async () => {
    expect((await run(`${rag} --replay tape --users 1 --out part`)).code).toBe(0);
    expect(text("recorded", "rows.jsonl")).toContain(text("part", "rows.jsonl").trim().split("\n")[0]?.slice(30));
  });

  test("leaves a run that was paid for alone, and no run goes on with a replay", async () => {
    const before = text("recorded", "rows.jsonl");
    const onRun = await run(`${rag} --replay tape --out recorded`);
    expect(onRun.code).toBe(2);
    expect(onRun.stderr).toContain("holds a run that is no replay; choose another --out");
    expect(text("recorded", "rows.jsonl")).toBe(before);
    await run(`${rag} --replay tape --out mine`);
    const onReplay = await run(`${rag} --out mine`);
    expect(onReplay.code).toBe(2);
    expect(onReplay.stderr).toContain("mine holds a replay; choose another --out");
    expect((await run("cassette import tape --out mine")).code).toBe(2);
  });

  test("leaves an earlier replay as it is where the new one is refused", async () => {
    await run(`${rag} --replay tape --out kept`);
    const before = text("kept", "rows.jsonl");
    expect((await run(`${rag.replace("reviews", "others")} --replay tape --out kept`)).code).toBe(2);
    expect(text("kept", "rows.jsonl")).toBe(before);
    expect((await run(`${rag} --limit 1 --replay tape --out kept`)).code).toBe(0);
    expect(text("kept", "rows.jsonl")).not.toBe(before);
  });

  test("serves the vectors of an embedder that calls out, and names a text that has none", async () => {
    const server = await embeddingsServer();
    const dense = `${rag} --set rag.retriever=dense --set embedder=openai/small --set embedder.baseUrl=${server.url}`;
    const env = { OPENAI_API_KEY: "sk-embedder-0123456789" };
    expect((await run(`${dense} --out dense`, env)).code).toBe(0);
    const requests = server.requests.length;
    expect((await run("cassette export dense --out dense-tape")).stdout).toContain("vectors");
    expect(text("dense-tape", "cassette.jsonl")).not.toMatch(/sk-embedder|127\.0\.0\.1/);
    const replayed = await run(`${dense} --replay dense-tape --out dense-replayed`);
    expect(replayed.code, replayed.stderr).toBe(0);
    expect(server.requests).toHaveLength(requests);
    expect(text("dense-replayed", "rows.jsonl")).toBe(text("dense", "rows.jsonl"));

    const other = await run(`${dense.replace("small", "large")} --replay dense-tape --out dense-other`);
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/no vectors of embedder openai\/large \(cosine\) in it; it holds openai\/small;/);

    const lines = text("dense-tape", "cassette.jsonl").trimEnd().split("\n").slice(0, -1);
    const gone = lines.find((line) => line.startsWith('{"key":'));
    const body = lines.filter((line) => line !== gone).map((line) => `${line}\n`);
    const end = JSON.stringify({ end: { lines: body.length, sha256: sha256(body.join("")) } });
    writeFileSync(join(cwd, "holed.jsonl"), `${body.join("")}${end}\n`);
    const holed = await run(`${dense} --replay holed.jsonl --out holed`);
    expect(holed.code).toBe(14);
    expect(text("holed", "rows.jsonl")).toMatch(/not in the cassette: the vector of a text \([0-9a-f]{16}\)/);
    expect(text("holed", "replay.md")).toMatch(/### embedding [0-9a-f]{16}/);
    expect(server.requests).toHaveLength(requests);
  });
});

describe("a recording with failed rows", () => {
  test.each(["rag", "pag"])("of %s is replayed to the same rows, and is not stale for them", async (method) => {
    const server = await startRatedServer({
      fault: ({ body }) =>
        JSON.stringify(body).includes(method === "rag" ? "Question 0 of ann" : "Review number 0 of ann")
          ? { kind: "status", status: 400, message: "too odd" }
          : undefined,
    });
    const line = `run --task lamp3 --method ${method} --data reviews --model openai/rated --base-url ${server.url}/v1`;
    await run(`${line} --out failed-${method} --max-failed 1`, { OPENAI_API_KEY: fakeKey });
    await server.close();
    expect(text(`failed-${method}`, "rows.jsonl")).toContain('"failed"');
    await run(`cassette export failed-${method} --out failed-${method}.jsonl`);
    const { code, stderr } = await run(`${line} --replay failed-${method}.jsonl --max-failed 1 --out re-${method}`);
    expect(code, stderr).toBe(0);
    expect(text(`re-${method}`, "rows.jsonl")).toBe(text(`failed-${method}`, "rows.jsonl"));
  });
});

describe("a cassette that does not fit is refused in one line, with exit 2", () => {
  const cases: readonly (readonly [what: string, line: () => string, says: RegExp])[] = [
    [
      "none",
      () => `${rag} --replay nowhere`,
      /--replay nowhere: no cassette here; make one with lamp-eval cassette export <run> --out nowhere$/,
    ],
    [
      "cut",
      () => {
        writeFileSync(join(cwd, "cut.jsonl"), text("tape", "cassette.jsonl").slice(0, -150));
        return `${rag} --replay cut.jsonl`;
      },
      /--replay cut\.jsonl: damaged cassette \(its end is missing, the file is cut\); export the run again/,
    ],
    [
      "changed",
      () => {
        writeFileSync(
          join(cwd, "changed.jsonl"),
          text("tape", "cassette.jsonl").replace('"stop":"end"', '"stop":"eND"'),
        );
        return `${rag} --replay changed.jsonl`;
      },
      /damaged cassette \(its content is not what its last line says/,
    ],
    [
      "a cut gzip",
      () => {
        writeFileSync(join(cwd, "cut.jsonl.gz"), Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]));
        return `${rag} --replay cut.jsonl.gz`;
      },
      /damaged gzip \(/,
    ],
    [
      "a small gzip that unfolds without measure",
      () => {
        writeFileSync(join(cwd, "bomb.jsonl.gz"), gzipSync(Buffer.alloc(17 << 20)));
        return `${rag} --replay bomb.jsonl.gz`;
      },
      /unpacks to more than 16 MB \(100 times its size, at most 2048 MB\), as no cassette does/,
    ],
    [
      "no cassette at all",
      () => `${rag} --replay recorded/rows.jsonl`,
      /recorded\/rows\.jsonl: not a cassette; make one with/,
    ],
    [
      "another format",
      () =>
        `${rag} --replay ${retaped("newer", ([head = "", ...rest]) => [head.replace('"version":1', '"version":2'), ...rest])}`,
      /a cassette of format 2, this version reads 1; record it again/,
    ],
    [
      "other data",
      () => `${rag.replace("reviews", "others")} --replay tape`,
      /a cassette of other data: lamp3 was recorded on reviews \(users\.json sha256 \w{8}\), this is others \(users\.json sha256 \w{8}\); give that data, or record it again/,
    ],
    [
      "another task",
      () => "run --task lamp2m --method rag --replay tape",
      /nothing of lamp2m is recorded; it holds lamp3/,
    ],
    [
      "a program, which may call out",
      () => "run --task lamp3 --method exec:./answer.sh --data reviews --model offline/lexical --replay tape",
      /exec:\.\/answer\.sh is a program that may call out, no cassette holds that; leave it out/,
    ],
    [
      "another model",
      () => `${rag} --model openai/gpt-4o --replay tape`,
      /a cassette of offline\/lexical, not of openai\/gpt-4o; add --model offline\/lexical, or record one/,
    ],
  ];

  test.each(cases)("%s", async (_what, line, says) => {
    const { code, stderr } = await run(`${line()} --out refused`);
    expect(code).toBe(2);
    const told = stderr.split("\n").filter((message) => message.startsWith("lamp-eval: "));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(says);
    expect(existsSync(join(cwd, "refused", "rows.jsonl"))).toBe(false);
  });

  test("export of what is no run", async () => {
    const { code, stderr } = await run("cassette export nowhere --out x");
    expect(code).toBe(2);
    expect(stderr).toMatch(/nowhere: no run here/);
  });
});
