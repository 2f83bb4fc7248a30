import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { LIMITS } from "../../src/report/evidence.js";
import { readJournal } from "../../src/run/journal.js";
import type { StoredCall } from "../../src/run/replies.js";
import { type ProviderServer, startProviderServer } from "../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { type Line, linesOf, writeForged } from "./forge.js";

const cwd = suiteDir();
const env = { OPENAI_API_KEY: "sk-not-a-real-key" };
const type = (line: string | readonly string[]) => runCommandLine(line, { cwd, env });
let server: ProviderServer;

/** A question whose call is refused, and so fails. */
const REFUSED = "Question 1 of dan";

beforeAll(async () => {
  writeReviews(join(cwd, "data"), ["ann", "bob", "cy", "dan"].map((id) => reviewUser(id)), ["eve", "fay"].map((id) => reviewUser(id))); // biome-ignore format: one line
  server = await startProviderServer({
    fault: ({ body }) =>
      JSON.stringify(body).includes(`${REFUSED}:`)
        ? { kind: "status", status: 400, message: `no such thing at ${join(cwd, "models/one.gguf")} on 10.1.2.3:8000` }
        : undefined,
    reply: ({ body, index }) => ({
      ...{ id: "c", object: "chat.completion", created: 0, model: body.model },
      choices: [{ index: 0, message: { role: "assistant", content: String((index % 5) + 1) }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1000 + index, completion_tokens: 1, total_tokens: 1001 + index },
    }),
  });
  const line = `--task lamp3 --data data --model openai/gpt-4.1-mini --base-url ${server.url}/v1 --set openai.api=chat --concurrency 1 --max-failed 1`;
  const made = await type(
    `sweep controls --method rag ${line} --vary history.control=right,other-user,none --out wired`,
  );
  expect(made.code, made.stderr).toBe(0);
  expect((await type("export wired --form evidence --out wired.jsonl")).code).toBe(0);
});

afterAll(() => server.close());

interface Checked {
  readonly level: string;
  readonly reasons: readonly string[];
  readonly arms: readonly {
    readonly name: string;
    readonly level: string;
    readonly reasons: readonly string[];
    readonly absentControls: readonly string[];
  }[];
}

async function check(file: string, flags = "--data data"): Promise<Checked & { readonly code: number }> {
  const { code, stdout, stderr } = await type(`verify ${file} ${flags} --json`);
  if (stdout === "") throw new Error(stderr);
  return { code, ...(JSON.parse(stdout) as Checked) };
}

describe("every method", () => {
  test("comes back complete from its replies alone: no prompt and no gold is in the file, and two exports are equal bytes", async () => {
    const names = methods.names.join(",");
    const made = await type(`run --task lamp1 --method ${names} --users 2 --out all`);
    expect(made.code, made.stderr).toBe(0);
    for (const name of ["a", "b"]) await type(`export all --form evidence --out ${name}.jsonl.gz`);
    const [a, b] = ["a", "b"].map((name) => readFileSync(join(cwd, `${name}.jsonl.gz`)));
    expect(a).toEqual(b);
    const { code, level, arms } = await check("a.jsonl.gz", "--level complete");
    expect({ code, level, arms: arms.length }).toEqual({ code: 0, level: "complete", arms: methods.names.length });
    const text = linesOf(join(cwd, "a.jsonl.gz")).map((line) => JSON.stringify(line)).join("\n"); // biome-ignore format: one chain
    const calls = [...readJournal<StoredCall>(join(cwd, "all", "responses.jsonl"))];
    const prompts = calls.flatMap(({ request }) =>
      request.messages.flatMap((one) => ("content" in one ? one.content : [])),
    );
    expect(
      prompts.filter((prompt) => prompt.length > 80 && text.includes(JSON.stringify(prompt).slice(1, -1))),
    ).toEqual([]);
    expect(text).not.toMatch(/"(gold|request|baselines|argv|notes)":/);
  });
});

describe("a run over a wire, with a failed question and its controls", () => {
  test("is complete with its data; nothing of it names a server, a folder, a key or the command", async () => {
    const { code, arms } = await check("wired.jsonl", "--data data --level complete");
    expect(code, JSON.stringify(arms, undefined, 1)).toBe(0);
    expect(arms.map(({ level, absentControls }) => [level, absentControls])).toEqual(arms.map(() => ["complete", []]));
    const text = readFileSync(join(cwd, "wired.jsonl"), "utf8");
    expect(text).toContain("one.gguf");
    for (const hidden of [cwd, "127.0.0.1", "10.1.2.3", env.OPENAI_API_KEY, "--base-url"])
      expect(text).not.toContain(hidden);
  });

  test("without its data nobody checked it, and --level says so by its exit code", async () => {
    const { stdout, code } = await type("verify wired.jsonl");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /self-reported: the data of lamp3 are not at hand: give --data DIR with users\.json \(SHA-256 \w{64}\)/,
    );
    expect(stdout).toContain(LIMITS);
    expect((await type("verify wired.jsonl --level complete")).code).toBe(17);
  });

  test("with other data it is refused, by the file that differs", async () => {
    writeReviews(join(cwd, "other"), ["ann", "bob", "cy", "dan"].map((id) => reviewUser(id, 4)), ["eve"].map((id) => reviewUser(id))); // biome-ignore format: one line
    const { code, arms } = await check("wired.jsonl", "--data other");
    expect(code).toBe(1);
    expect(arms[0]?.reasons[0]).toMatch(/^data lamp3: users\.json: sha256 /);
  });
});

const kinds = (lines: Line[], kind: string): Line[] => lines.flatMap((line) => (kind in line ? [line[kind]] : []));
const isFailed = ({ row }: Line): boolean => row?.outcome.kind === "failed";
const ofControl = (lines: Line[], control: string): string =>
  lines[1]?.run.plan.cells.find((cell: Line) => cell.options["history.control"] === control).id;

const put = (target: Line | undefined, name: string, value: unknown): undefined => {
  Object.assign(target ?? {}, { [name]: value });
};

const forgeries: Readonly<Record<string, [(lines: Line[]) => Line[] | undefined, RegExp]>> = {
  "a reply": [(lines) => put(kinds(lines, "reply")[0]!.reply, "text", "5 stars"), /recomputed: line \d+: question .*the stored replies give .*5 stars/],
  "the tokens of a reply": [(lines) => put(kinds(lines, "reply")[0]!.reply.usage, "in", 1), /recomputed: line \d+: .*spend is/],
  "a row": [(lines) => put(kinds(lines, "row")[0]!, "outcome", { kind: "answered", reply: "1.5", lenient: "1.5" }), /recomputed: line \d+: question ann-q0: outcome is/],
  "a score": [(lines) => put(lines[1]!.results.results[0].metrics[0], "strict", 0.01), /numbers: metrics\.0\.strict of .* is claimed as 0\.01, the rows give/],
  "an interval or test": [(lines) => put(lines[1]!.results.results[1].metrics[0], "spread", 0.5), /numbers: metrics\.0\.spread/],
  "a dropped reply": [(lines) => lines.filter((line) => line !== lines.find((one) => "reply" in one)), /no reply to request \w{16}/],
  "a reply that nobody asks for": [(lines) => [...lines, { reply: { ...kinds(lines, "reply")[0], key: "0".repeat(64) } }], /reply 0{16}: no method asks for it/],
  "a control under another's name": [(lines) => {
    const [right, none] = [ofControl(lines, "right"), ofControl(lines, "none")];
    for (const { row, unit } of lines) for (const one of [row, unit]) if (one?.cell === none) one.outcome = one.outcome && { kind: "answered", reply: "1", lenient: "1" };
    return right === none ? undefined : lines;
  }, /recomputed: line \d+: question/],
  "a data hash": [(lines) => put(lines[1]!.run.plan.data[0].files[0], "sha256", "0".repeat(64)), /data lamp3: users\.json: sha256 \w{8}, the manifest says 00000000/],
  "what questions may see": [(lines) => put(lines[1]!.run.plan.data[0], "units", "0".repeat(64)), /data lamp3: .*visible histories/],
  prices: [(lines) => put(lines[1]!.run, "prices", [{ model: "openai/gpt-4.1-mini", in: 0.01, out: 0.01, readOn: "2026-10-01" }]), /numbers: usd of .* is claimed as/],
  "calls that cost nothing": [(lines) => put(lines[1]!.run, "repeated", { [ofControl(lines, "right")]: { "openai/gpt-4.1-mini": { calls: 3, in: 3000, out: 3 } } }), /repeated calls of cell/],
  "an omitted failure": [(lines) => lines.filter((line) => !isFailed(line)), /completeness: .*no row for question dan-q1/],
  "a failure that became an answer": [(lines) => put(lines.find(isFailed)!.row, "outcome", { kind: "answered", reply: "2", lenient: "2" }), /recomputed: .*outcome is .*, the stored replies give .*failed/],
  "a subset shown as the whole": [(lines) => {
    for (const { facts } of lines[1]!.run.plan.data) Object.assign(facts, { users: 2, questions: 4 });
    return lines.filter(({ row, unit }) => !["cy", "dan"].includes((row ?? unit)?.user));
  }, /data lamp3: .*visible histories/],
  "a mark": [(lines) => put(lines[1]!.run, "simulated", true), /numbers: .*simulated/],
}; // biome-ignore format: a line a forgery

describe("a forgery whose checksum holds is refused by name:", () => {
  test.each(Object.entries(forgeries))("%s", async (name, [forge, named]) => {
    const lines = linesOf(join(cwd, "wired.jsonl"));
    const file = `forged-${name.replaceAll(" ", "-")}.jsonl`;
    writeForged(join(cwd, file), forge(lines) ?? lines);
    const { code, level, arms } = await check(file);
    expect({ code, level }).toEqual({ code: 1, level: "refused" });
    expect(arms.flatMap(({ reasons }) => reasons).join("\n")).toMatch(named);
  });

  test("a flipped bit, by the checksum", async () => {
    const text = readFileSync(join(cwd, "wired.jsonl"), "utf8");
    writeFileSync(join(cwd, "flipped.jsonl"), text.replace('"ann-q0"', '"ann-q9"'));
    const { code, level, reasons } = await check("flipped.jsonl");
    expect({ code, level, reasons }).toMatchObject({
      code: 1,
      level: "refused",
      reasons: [expect.stringMatching(/flipped\.jsonl checksum: /)],
    });
  });

  test("invented replies with all else computed again are complete, and every output says that nobody sees them", async () => {
    cpSync(join(cwd, "data"), join(cwd, "invented-data"), { recursive: true });
    const invented = await startProviderServer({
      reply: ({ body }) => ({
        ...{ id: "c", object: "chat.completion", created: 0, model: body.model },
        choices: [{ index: 0, message: { role: "assistant", content: "5" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1000, completion_tokens: 1, total_tokens: 1001 },
      }),
    });
    const line = `run --task lamp3 --method rag --data data --model openai/gpt-4.1-mini --base-url ${invented.url}/v1 --set openai.api=chat`;
    expect((await type(`${line} --out invented`)).code).toBe(0);
    await invented.close();
    const exported = await type("export invented --form evidence --out invented.jsonl");
    expect(exported.stderr).toContain(LIMITS);
    const { stdout, code } = await type("verify invented.jsonl --data data");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^complete: /m);
    expect(stdout).toContain(LIMITS);
    expect(readFileSync(join(cwd, "invented.jsonl"), "utf8")).toContain(LIMITS);
    expect(readFileSync(new URL("../../docs/EVIDENCE.md", import.meta.url), "utf8")).toContain(LIMITS);
  });
});

describe("an arm without its controls", () => {
  test("keeps its level and is marked; the export prints the command that makes them, and its price; with them the mark is gone", async () => {
    const line = `--task lamp3 --method prompt --data data --model openai/gpt-4.1-mini --base-url ${server.url}/v1 --set openai.api=chat --max-failed 1`;
    expect((await type(`run ${line} --out bare`)).code).toBe(0);
    const { stderr } = await type("export bare --form evidence --out bare.jsonl");
    expect(stderr).toContain(
      "personalization not shown (no arm with another user's past, none with no past): lamp3 prompt",
    );
    const command = /make the controls \(about \$[\d.]+, .*\) and export both runs together: lamp-eval (.*)/.exec(
      stderr,
    )?.[1];
    expect((await check("bare.jsonl")).arms).toMatchObject([
      { level: "complete", absentControls: ["other-user", "none"] },
    ]);
    expect((await type(`${command} --out controls`)).code).toBe(0);
    await type("export bare controls --form evidence --out both.jsonl");
    expect((await check("both.jsonl")).arms.map(({ absentControls }) => absentControls)).toEqual([[], [], []]);
  });
});

describe("scores only, by name:", () => {
  test("a program's rows, whose path stays at home; imported predictions, of which one that was changed is refused", async () => {
    const program = `exec:${process.execPath} mine.mjs`;
    writeFileSync(join(cwd, "mine.mjs"), "process.exit(0);\n");
    await type([
      "run",
      "--task",
      "lamp3",
      "--method",
      program,
      "--data",
      "data",
      "--max-failed",
      "1",
      "--out",
      "program",
    ]);
    await type("export program --form evidence --out program.jsonl");
    const { arms } = await check("program.jsonl");
    expect(arms).toMatchObject([{ level: "scores only", reasons: [expect.stringContaining("held a path")] }]);
    expect(readFileSync(join(cwd, "program.jsonl"), "utf8")).not.toContain(process.execPath);

    const golds = ["ann", "bob", "cy", "dan"].flatMap((id) => [0, 1].map((n) => ({ id: `${id}-q${n}`, output: "4" })));
    writeFileSync(join(cwd, "predictions.json"), JSON.stringify({ task: "LaMP_3", golds }));
    const made = await type(
      "import --task lamp3 --predictions predictions.json --name mine --data data --out imported",
    );
    expect(made.code, made.stderr).toBe(0);
    await type("export imported --form evidence --out imported.jsonl");
    expect(await check("imported.jsonl")).toMatchObject({ code: 0, level: "scores only" });
    const lines = linesOf(join(cwd, "imported.jsonl"));
    put(kinds(lines, "row")[0]?.outcome, "reply", "5");
    writeForged(join(cwd, "changed.jsonl"), lines);
    expect(await check("changed.jsonl")).toMatchObject({ code: 1, level: "refused" });
  });

  test("a file of another version whose methods ask otherwise names the command that checks it as it was made", async () => {
    const lines = linesOf(join(cwd, "wired.jsonl"));
    lines[1]!.run.plan.version = "0.0.9";
    for (const reply of kinds(lines, "reply")) reply.key = reply.key.replace(/^..../, "0000");
    writeForged(join(cwd, "old.jsonl"), lines);
    const { level, arms } = await check("old.jsonl");
    expect(level).toBe("scores only");
    expect(arms[0]?.reasons[0]).toBe("made by version 0.0.9; as it was made: npx lamp-eval@0.0.9 verify FILE");
  });
});

describe("export refuses", () => {
  test("a run that has not ended, and one that was edited", async () => {
    await type("run --task lamp3 --method pag --data data --out cut --max-calls 2 --concurrency 1");
    expect((await type("export cut --form evidence --out x.jsonl")).stderr).toContain("cut: has not ended");
    cpSync(join(cwd, "wired"), join(cwd, "edited"), { recursive: true });
    const rows = join(cwd, "edited", "rows.jsonl");
    writeFileSync(rows, readFileSync(rows, "utf8").replace('"reply":"1"', '"reply":"2"'));
    expect((await type("export edited --form evidence --out x.jsonl")).stderr).toContain("rows.jsonl");
    await type("verify edited --accept-edit mine --data data");
    expect((await type("export edited --form evidence --out x.jsonl")).stderr).toContain("edited: was edited (mine)");
  });

  test("all without a licence, and a secret that a reply repeats, by its line; nothing is written", async () => {
    expect((await type("export wired --form evidence --carry all --out x.jsonl")).stderr).toContain("--licence ID");
    const leaky = await startProviderServer();
    const secret = "hunter2-hunter2-hunter2";
    const key = `AKIA${"A1B2C3D4".repeat(2)}`;
    for (const [name, planted] of Object.entries({ env: secret, shaped: key })) {
      writeReviews(join(cwd, name), [
        { ...reviewUser("ann"), query: [{ id: "q", gold: "1", input: `review: ${planted}` }] },
      ]);
      await type(
        `run --task lamp3 --method prompt --data ${name} --model openai/m --base-url ${leaky.url}/v1 --out leaky-${name}`,
      );
      const said = await runCommandLine(`export leaky-${name} --form evidence --out x.jsonl`, {
        cwd,
        env: { MY_TOKEN: secret },
      });
      expect(said).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/line \d+ \(\w+.*\) would hold .*; nothing was written/),
      });
      expect(said.stderr).not.toContain(planted);
    }
    await leaky.close();
  });

  test("all holds prompts and golds too, each of which is checked", async () => {
    await type("export wired --form evidence --carry all --licence CC0-1.0 --out whole.jsonl");
    expect(await check("whole.jsonl")).toMatchObject({
      ...{ code: 0, level: "complete", reasons: ["the file holds data under CC0-1.0"] },
    });
    const lines = linesOf(join(cwd, "whole.jsonl"));
    kinds(lines, "reply")[0]!.request.messages[0].content = "another prompt";
    writeForged(join(cwd, "prompt.jsonl"), lines);
    expect((await check("prompt.jsonl")).arms[0]?.reasons.join()).toMatch(/its request is not the one/);
    const others = linesOf(join(cwd, "whole.jsonl"));
    kinds(others, "row")[0]!.gold = "3";
    writeForged(join(cwd, "gold.jsonl"), others);
    expect((await check("gold.jsonl")).arms.flatMap(({ reasons }) => reasons).join()).toMatch(
      /golds: line \d+: question ann-q0: gold "3"/,
    );
  });
});
