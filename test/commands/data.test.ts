import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import { asking, folderWith, review } from "../data/fixtures.js";
import { downloadSite } from "../helpers/download-site.js";
import { tempDir } from "../helpers/temp-dir.js";
import { testIo } from "../helpers/test-io.js";

async function run(args: readonly string[], cwd = tempDir()) {
  const io = testIo({ cwd, argv: args });
  const code = await main(["data", ...args], io);
  return { code, out: io.printed.join("\n"), err: io.messages.join("\n"), cwd };
}

const person = {
  user_id: "u",
  profile: [review("a", "one", 5, "2019-01-01")],
  query: [{ id: "q", input: asking("asked"), gold: "4", date: "2020-01-01" }],
};

describe("lamp-eval data", () => {
  it("downloads into datasets/, states the licence and the sha256, and says what is next", async () => {
    const site = await downloadSite({
      "LaMP_2/new/dev/dev_questions.json": JSON.stringify([{ id: "110", input: "description: x", profile: [] }]),
      "LaMP_2/new/dev/dev_outputs.json": JSON.stringify({ task: "LaMP_2", golds: [{ id: "110", output: "comedy" }] }),
    });
    const { code, out, err, cwd } = await run(["download", "LaMP-2M", "--split", "user", "--base-url", site.url]);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining("CC BY-NC-SA 4.0") });
    expect(out).toMatch(/fetched +dev_questions\.json +1 record .* sha256 [0-9a-f]{64}/);
    expect(out).toContain("lamp-eval data audit --task lamp2m --data datasets/lamp2m-user");
    expect(readFileSync(join(cwd, "datasets/lamp2m-user/dev_outputs.json"), "utf8")).toContain("comedy");
    expect((await run(["download", "lamp2m", "--split", "user", "--base-url", site.url], cwd)).out).toContain(
      "verified",
    );
  });

  it("gives up an address that cannot be reached", async () => {
    const { code, err } = await run(["download", "lamp3", "--base-url", "http://127.0.0.1:9/"]);
    expect([code, err]).toEqual([3, expect.stringMatching(/127\.0\.0\.1:9.*gave up after 6 tries/)]);
  });

  it("says when what it prepared has no pool of other users", async () => {
    const cwd = folderWith({
      "dev_questions.json": [
        { id: "1", user_id: "u", input: asking("asked"), profile: [review("a", "one", 5), review("b", "two", 3)] },
      ],
      "dev_outputs.json": { task: "LaMP_3", golds: [{ id: "1", output: "4" }] },
    });
    const { code, err } = await run(["prepare", "--task", "lamp3", "--from", ".", "--out", "made"], cwd);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^1 of 100 users are written: .*\nthe pool of other users is empty; .*--users.*others=leave-one-out$/,
    );
  });

  it("prepares and audits", async () => {
    const cwd = folderWith({
      "dev_questions.json": [{ id: "d", user_id: 1, input: asking("new"), profile: person.profile }],
      "dev_outputs.json": { task: "LaMP_3", golds: [{ id: "d", output: "5" }] },
    });
    const prepared = await run(["prepare", "--task", "lamp3", "--from", ".", "--out", "made", "--users", "1"], cwd);
    expect(prepared.code).toBe(0);
    expect(prepared.out).toMatch(/^users: 1\n[\s\S]*^questions: 1$/m);
    expect(await run(["audit", "--task", "lamp3", "--data", "made"], cwd)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\nno leak that a run would show; 1 question unchecked by date$/),
    });
  });

  it("ends with 1 when the audit finds leaks that a run would show, with 16 for suspicions, with 0 for what a run hides", async () => {
    const long = "a lamp that broke on the second day and was never sent back";
    const audited = async (past: object, questions: readonly string[]) => {
      const query = questions.map((text, i) => ({ id: `q${i}`, input: asking(text), gold: "4", date: "2020-01-01" }));
      const cwd = folderWith({ "users.json": [{ user_id: "u", profile: [past], query }] });
      return run(["audit", "--task", "lamp3", "--data", "."], cwd);
    };
    const shown = await audited(review("a", "fine", 4, "2019-01-01"), [`${long}, score: 4`]);
    expect(shown).toMatchObject({ code: 1, out: expect.stringMatching(/\nLEAKS FOUND: 1 that a run would show$/) });
    const twice = await audited(review("a", "fine", 4, "2019-01-01"), [long, long.toUpperCase()]);
    expect(twice).toMatchObject({ code: 16, out: expect.stringMatching(/\nSUSPICIONS; 1 to look at$/) });
    const hidden = await audited(review("a", "fine", 4, "2021-01-01"), [long]);
    expect(hidden).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\nno leak that a run would show; a run hides 1 leak$/),
    });
  });

  it("names three findings of a kind, or with --json every one", async () => {
    const query = [{ id: "q", input: asking("asked"), gold: "4", date: "2020-01-01" }];
    const profile = Array.from({ length: 5 }, (_, i) => review(`later${i}`, "fine", 4, "2021-01-01"));
    const cwd = folderWith({ "users.json": [{ user_id: "u", profile, query }] });
    const audited = async (...flags: string[]) =>
      (await run(["audit", "--task", "lamp3", "--data", ".", ...flags], cwd)).out;
    const named = (text: string) => [...new Set(text.match(/later\d/g))];
    const short = await audited();
    expect(named(short)).toHaveLength(3);
    expect(short).toContain("examples, 3 of 5 (--json names every one):");
    expect(JSON.parse(await audited("--json"))).toMatchObject({ examples: { length: 5 } });
  });
});

describe("a suite", () => {
  const task = (folder: string, official: string, gold: string) =>
    ["train", "dev"].flatMap((part): [string, string][] => {
      const at = `time/${folder}/${part}/${part}`;
      const question = [{ id: `${part}-q`, user_id: "u", input: asking("asked"), profile: [] }];
      const golds = [{ id: `${part}-q`, output: gold }];
      return [
        [`${at}_questions.json`, JSON.stringify(question)],
        [`${at}_outputs.json`, JSON.stringify({ task: official, golds })],
      ];
    });
  const site = () =>
    downloadSite(
      Object.fromEntries([
        ...task("LaMP_1", "LaMP_1", "[1]"),
        ...task("LaMP_2/new", "LaMP_2", "comedy"),
        ...task("LaMP_2", "LaMP_2", "politics"),
        ...task("LaMP_3", "LaMP_3", "4"),
      ]),
    );

  it("is all that a paper's tables need, a folder a task, and goes on where it was broken off", async () => {
    const server = await site();
    server.script("honest", "honest", "honest", "missing");
    const broken = await run(["download", "--suite", "personaagent", "--base-url", server.url]);
    expect([broken.code, server.requests.length]).toEqual([2, 4]);
    const { code, out } = await run(["download", "--suite", "personaagent", "--base-url", server.url], broken.cwd);
    expect([code, out.match(/^verified/gm)?.length, out.match(/^fetched/gm)?.length]).toEqual([0, 3, 13]);
    expect(readdirSync(join(broken.cwd, "datasets/personaagent"))).toEqual(["lamp1", "lamp2m", "lamp2n", "lamp3"]);
    const root = join(broken.cwd, "datasets/personaagent");
    expect(readFileSync(join(root, "lamp2m/dev_outputs.json"), "utf8")).toContain("comedy");
  });

  it("and a task exclude each other, and one is needed", async () => {
    for (const args of [["download"], ["download", "lamp3", "--suite", "personaagent"]])
      expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining("name a task") });
  });
});
