import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { builtIn, extended } from "../../../src/app/catalogue.js";
import { readJudgements } from "../../../src/app/common/judgements.js";
import { openRunFolder } from "../../../src/app/common/run-folder.js";
import { casesOf, optionsOf } from "../../../src/app/judge/cases.js";
import { judgeRun } from "../../../src/app/judge/judge.js";
import { ModelError } from "../../../src/errors.js";
import { scoresOf } from "../../../src/report/judgements/scores.js";
import { winsOf } from "../../../src/report/judgements/text.js";
import { lockFolder } from "../../../src/run/lock.js";
import { readManifest } from "../../../src/run/manifest.js";
import type { Model, ModelReply, ModelRequest, Provider, Row } from "../../../src/types/index.js";
import { suiteDir } from "../../helpers/suite-dir.js";
import { runCommandLine, testIo } from "../../helpers/test-io.js";
import { withChecks } from "../../helpers/with-checks.js";

const cwd = suiteDir();
const asked: ModelRequest[] = [];
/** What the planted judges answer, by name. */
const replies: Record<string, (request: ModelRequest, call: number) => string> = {
  "first-place": () => '{"better": 1, "reason": "it stands first"}',
  "longer-reply": (request) => (lengthOf(request, 1) > lengthOf(request, 2) ? '{"better": 1}' : '{"better": 2}'),
  seven: () => '{"score": 7, "reason": "fine"}',
  eight: () => '{"score": 8, "reason": "fine"}',
  mumbling: (_request, call) => (call % 3 === 0 ? '{"score": 9}' : "I would say nine."),
  mute: () => "no verdict",
};
const planted: Provider = {
  name: "planted",
  summary: "judges made for a test",
  async open(id): Promise<Model> {
    let calls = 0;
    return {
      id: `planted/${id}`,
      capabilities: { temperature: true, stop: true, tools: false, prefill: false, logprobs: false, thinking: "none" },
      simulated: true,
      async complete(request): Promise<ModelReply> {
        asked.push(request);
        const text = replies[id]!(request, calls++);
        return { text, toolCalls: [], stop: "end", usage: { in: 10, out: 2 }, model: id, simulated: true };
      },
    };
  },
};
/** A model that is no embedded one; its first `silent` tries bring no answer. */
const paid = { sent: 0, silent: 0 };
const paying: Provider = {
  name: "paid",
  summary: "a judge that costs",
  async open(id): Promise<Model> {
    return {
      id: `paid/${id}`,
      capabilities: { temperature: true, stop: true, tools: false, prefill: false, logprobs: false, thinking: "none" },
      simulated: false,
      async complete(): Promise<ModelReply> {
        paid.sent += 1;
        if (paid.sent <= paid.silent) throw new ModelError("no answer", { retryable: true, bill: "unknown" });
        const usage = { in: 10, out: 2 };
        return { text: '{"score": 7, "reason": "fine"}', toolCalls: [], stop: "end", usage, model: id };
      },
    };
  },
};
const io = { ...testIo({ cwd }), catalogue: extended(builtIn, { providers: [planted, paying] }, "the test") };
const judge = (model: string, more = {}) =>
  judgeRun({ run: "talk", model: `planted/${model}`, concurrency: 1, ...more }, io);
const cells = () => readManifest(join(cwd, "talk"))!.plan.cells;

beforeAll(async () => {
  const line = "run --task alex-like --method stateless,buffer,assistant --users 2 --queries-per-user 4 --out talk";
  const { code, stderr } = await runCommandLine(line, { cwd });
  if (code !== 0) throw new Error(stderr);
});

describe("judging a run", () => {
  test("a judge that prefers a place is cancelled by both orders; one that prefers a reply is not", async () => {
    const { judgements } = await judge("first-place", { against: "stateless" });
    const [buffer, assistant] = winsOf(judgements, cells());
    for (const wins of [buffer, assistant])
      expect(wins).toMatchObject({ pairs: 8, wins: 0, losses: 0, turned: 8, net: 0, firstPreferred: 1 });
    const [, fair] = winsOf((await judge("longer-reply", { against: "stateless" })).judgements, cells());
    expect(fair).toMatchObject({ pairs: 8, turned: 0, unjudged: 0 });
    expect(fair!.wins + fair!.losses).toBe(8);
    expect(fair!.net).toBe((fair!.wins - fair!.losses) / 8);
  });

  test("what is no verdict is asked once more, then unjudged and in no mean", async () => {
    asked.length = 0;
    const { judgements, text } = await judge("mute");
    expect(new Set(judgements.map(({ calls }) => calls))).toEqual(new Set([2]));
    expect(new Set(judgements.map(({ judged }) => judged.kind))).toEqual(new Set(["unjudged"]));
    for (const { mean, unjudged } of scoresOf(judgements, cells(), { onParseFail: "exclude", range: [1, 10], seed: 0 }))
      expect([mean, unjudged]).toEqual([undefined, 8]);
    expect(text).toMatch(/ stateless +- +0 +8 /);
    const mixed = await judge("mumbling");
    for (const { mean } of scoresOf(mixed.judgements, cells(), { onParseFail: "exclude", range: [1, 10], seed: 0 }))
      expect(mean).toBe(9);
  });

  test("judge.onParseFail=zero counts it as 0, and says so", async () => {
    const { text, judgements } = await judge("mute", { set: { "judge.onParseFail": "zero" } });
    for (const { mean } of scoresOf(judgements, cells(), { onParseFail: "zero", range: [1, 10], seed: 0 }))
      expect(mean).toBe(0);
    expect(text).toContain("count as 0 (judge.onParseFail=zero");
  });

  test("a second judgement by another judge sends no answer call and leaves rows and the first journal alone", async () => {
    const before = ["rows.jsonl", "responses.jsonl", "traces.jsonl"].map((name) =>
      readFileSync(join(cwd, "talk", name)),
    );
    const first = await judge("mute");
    const journal = readFileSync(join(first.folder, "judgements.jsonl"));
    asked.length = 0;
    const second = await judge("seven");
    expect(second.folder).not.toBe(first.folder);
    expect(asked.length).toBeGreaterThan(0);
    expect(second.judgements.every(({ calls }) => calls === 1)).toBe(true);
    expect(asked.every(({ system }) => system?.startsWith("You judge replies"))).toBe(true);
    const after = ["rows.jsonl", "responses.jsonl", "traces.jsonl"].map((name) =>
      readFileSync(join(cwd, "talk", name)),
    );
    expect(after).toEqual(before);
    expect(readFileSync(join(first.folder, "judgements.jsonl"))).toEqual(journal);
  });

  test("the same judge again sends nothing and says the same", async () => {
    const first = await judge("seven");
    asked.length = 0;
    const again = await judge("seven");
    expect(asked).toEqual([]);
    expect(again.text).toBe(first.text);
    expect(existsSync(join(again.folder, "judgements.md"))).toBe(true);
  });

  test("damage in what a judge said is refused by readers, told by the judge and made again from its replies", async () => {
    const { folder, judgements, text } = await judge("seven");
    const sealed = readFileSync(join(folder, "judge.json"), "utf8");
    const spoilt: readonly (readonly [string, (whole: string) => string, number])[] = [
      ["judgements.jsonl", (old) => old.replace('"value":7', '"value":8'), 0],
    ];
    for (const [name, spoil, calls] of spoilt) {
      const path = join(folder, name);
      writeFileSync(path, spoil(readFileSync(path, "utf8")));
      expect(() => readJudgements(join(cwd, "talk"))).toThrow(
        `${name}${name.endsWith("l") ? " line 1" : ""} is damaged`,
      );
      asked.length = 0;
      const again = await judge("seven");
      expect({ judgements: again.judgements, text: again.text, calls: asked.length }).toEqual({
        judgements,
        text,
        calls,
      });
    }
    expect(JSON.parse(readFileSync(join(folder, "judge.json"), "utf8")).records).toEqual(JSON.parse(sealed).records);
  });

  test("a stored reply that is lost is asked for no more: its judgements stand, and verify names them", async () => {
    const set = { "judge.onParseFail": "zero" };
    const { folder, judgements } = await judge("seven", { set });
    const path = join(folder, "responses.jsonl");
    const [first = ""] = readFileSync(path, "utf8").split("\n");
    // two arms gave the same first reply: both judgements stand on it
    const other = first.replace('"in":10', '"in":99');
    writeFileSync(path, readFileSync(path, "utf8").replace(first, other));
    asked.length = 0;
    expect([(await judge("seven", { set })).judgements, asked.length]).toEqual([judgements, 0]);
    const { stdout } = await runCommandLine("verify talk", { cwd });
    expect(stdout.split("\n").find((line) => line.includes(folder.slice(-12)))).toMatch(
      /^ok .*2 without a stored reply/,
    );
  });

  test("a changed verdict is refused or told by every reader, never sealed anew, and taken only as an edit", async () => {
    const { folder, text } = await judge("longer-reply", { against: "assistant" });
    const name = folder.slice(cwd.length + 1);
    const verify = () => runCommandLine("verify talk", { cwd });
    const checked = (await verify()).stdout.split("\n").find((line) => line.includes(name.slice(-12)));
    expect(checked).toMatch(/^ok .* made again from the stored replies/);
    const journal = join(folder, "judgements.jsonl");
    const change = (path: string, from: string, to: string) =>
      writeFileSync(path, withChecks(readFileSync(path, "utf8").replace(from, to)));
    change(journal, '"value":1', '"value":2');
    const [before, seals] = [readFileSync(journal), readFileSync(join(folder, "judge.json"))];
    asked.length = 0;
    await expect(judge("longer-reply", { against: "assistant" })).rejects.toThrow(
      "judgements.jsonl was changed after the judge",
    );
    expect([asked.length, readFileSync(journal), readFileSync(join(folder, "judge.json"))]).toEqual([0, before, seals]);
    expect(() => readJudgements(join(cwd, "talk"))).toThrow("was changed after the judge had ended");
    expect((await runCommandLine("report talk", { cwd })).stdout).toContain("JUDGEMENTS NOT AS SEALED: judgements/");
    const failed = await verify();
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/was changed after the judge had ended\n.*has 2 .*the stored replies give 1/);
    rmSync(join(folder, "judge.json"));
    await expect(judge("longer-reply", { against: "assistant" })).rejects.toThrow("judge.json is gone");
    writeFileSync(join(folder, "judge.json"), seals);
    await runCommandLine(["verify", "talk", "--accept-edit", "a typing error"], { cwd });
    readJudgements(join(cwd, "talk"));
    expect((await judge("longer-reply", { against: "assistant" })).text).toMatch(
      /EDITED .*judgements.jsonl\): a typing error/,
    );
    expect((await runCommandLine("report talk", { cwd })).stdout).toContain("a typing error");
    expect(text).not.toContain("EDITED");
    expect((await verify()).stdout).toContain("the stored replies give 1"); // for ever
  });

  test("tries are written down before they are sent, and an answer that never came is named and counted under the cap", async () => {
    const set = { "judge.onParseFail": "zero" };
    paid.silent = 2;
    const lines: string[] = [];
    const heard = { ...io, tell: (line: string) => void lines.push(line) };
    const dear = (more = {}) => judgeRun({ run: "talk", model: "paid/m", concurrency: 1, set, ...more }, heard);
    await expect(dear({ maxCalls: 4 })).rejects.toThrow("--max-calls 4 is reached");
    expect(paid.sent).toBe(4);
    await expect(dear({ maxCalls: 6 })).rejects.toThrow("--max-calls 6 is reached");
    expect(paid.sent).toBe(6);
    expect(lines.join("\n")).toContain("answer unknown: 2 tries were sent and no answer came");
  });

  test("a folder that another process judges in is refused before the first call, and free afterwards", async () => {
    const { folder } = await judge("seven");
    const release = lockFolder(folder);
    asked.length = 0;
    await expect(judge("seven")).rejects.toThrow("is working on this run");
    expect(asked).toEqual([]);
    release();
    await judge("seven");
    expect(existsSync(join(folder, "lock"))).toBe(false);
  });

  test("a judge sees the dialogue up to the question, by judge.history both sides or the user's alone", async () => {
    asked.length = 0;
    await judge("seven", { set: { "judge.history": "user-only" } });
    const texts = asked.map(({ messages }) => (messages[0]?.role === "user" ? messages[0].content : ""));
    // Two arms give the same first reply: equal requests may be sent once.
    const first = texts.filter((text) => text.includes("What was said before:\nnothing"));
    expect(new Set(first).size).toBe(2 * 2);
    expect(texts.some((text) => /before:\nUser: .*\nUser: /.test(text))).toBe(true);
    expect(texts.some((text) => text.includes("Assistant: "))).toBe(false);
    expect(texts.every((text) => text.includes("- My name is "))).toBe(true);
  });

  test("a judge is asked at 0, and at the provider's default where judge.temperature=none", async () => {
    asked.length = 0;
    await judge("eight");
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every(({ temperature }) => temperature === 0)).toBe(true);
    asked.length = 0;
    await judge("eight", { set: { "judge.temperature": "none" } });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every((request) => !("temperature" in request))).toBe(true);
  });

  test("a cap ends it in one line, keeps what was judged, and the same command goes on", async () => {
    asked.length = 0;
    const set = { "judge.history": "user-only", "judge.onParseFail": "zero" };
    await expect(judge("seven", { set, maxCalls: 5 })).rejects.toThrow(
      /--max-calls 5 is reached; what was judged is kept/,
    );
    expect(asked).toHaveLength(5);
    const { judgements, sent } = await judge("seven", { set });
    expect(judgements).toHaveLength(2 * 3 * 4);
    expect(sent).toBeLessThanOrEqual(2 * 3 * 4 - 5);
  });

  test("show prints every verdict behind its reply, of a comparison in words of the reply, and what is unjudged as such", async () => {
    await judge("seven");
    await judge("mute");
    await judge("longer-reply", { against: "stateless" });
    const { stdout } = await runCommandLine("show talk --method assistant", { cwd });
    expect(stdout).toContain("[verdict of dialogue-score, planted/seven, SIMULATED]\n  7: fine");
    expect(stdout).toContain(
      '[verdict of dialogue-score, planted/mute, SIMULATED]\n  unjudged: "no verdict"; "no verdict"',
    );
    const orders = [
      ...stdout.matchAll(
        /longer-reply, SIMULATED against stateless, (this|the other) reply first\]\n {2}(better|worse)/g,
      ),
    ];
    expect(orders.length).toBe(2 * 8);
    const first = orders.filter(([, order]) => order === "this").map(([, , word]) => word);
    expect(orders.filter(([, order]) => order !== "this").map(([, , word]) => word)).toEqual(first);
  });

  test("arms that differ in their selector are compared by its name", async () => {
    writeFileSync(
      join(cwd, "grid.yaml"),
      "task: profile-questions\nmethod: rag\nusers: 1\nqueriesPerUser: 2\nkind: grid\nsweep:\n  select: [all, none]\n",
    );
    expect((await runCommandLine("run --config grid.yaml --out grid", { cwd })).code).toBe(0);
    const { judgements } = await judgeRun({ run: "grid", model: "planted/longer-reply", against: "select=none" }, io);
    expect(judgements).toHaveLength(2 * 2);
    const missing = judgeRun({ run: "grid", model: "planted/longer-reply", against: "select=bm25" }, io);
    await expect(missing).rejects.toThrow("--against select=bm25: not in grid");
  });

  test("a failed answer is shown to no judge, alone or beside another", async () => {
    const { manifest, rows } = openRunFolder("talk", cwd);
    const [first] = rows;
    const failed = rows.map(
      (row): Row => (row === first ? { ...row, outcome: { kind: "failed", error: "busy" } } : row),
    );
    const shown = async (against?: string) => {
      const all = await casesOf(
        { manifest, rows: failed },
        optionsOf(cells(), { run: "talk" }),
        { run: "talk", against },
        io,
      );
      return all.filter(({ head }) => head.question === first!.question).map(({ head }) => head.cell);
    };
    const others = cells().flatMap(({ id }) => (id === first!.cell ? [] : [id]));
    expect(await shown()).toEqual(others);
    expect(await shown(cells().find(({ id }) => id === first!.cell)!.method)).toEqual([]);
  });

  test("mistakes are told before the first call", async () => {
    asked.length = 0;
    await expect(judge("seven", { judge: "better-reply" })).rejects.toThrow("name one with --against");
    await expect(judge("seven", { judge: "dialogue-score", against: "buffer" })).rejects.toThrow("one reply at a time");
    await expect(judge("seven", { against: "rag" })).rejects.toThrow("--against rag: not in talk");
    await expect(judge("seven", { judge: "dialog-score" })).rejects.toThrow('did you mean "dialogue-score"');
    await expect(judge("seven", { set: { "judge.histories": "both" } })).rejects.toThrow("judge.histories");
    expect(asked).toEqual([]);
  });
});

function lengthOf({ messages }: ModelRequest, place: number): number {
  const text = messages[0]?.role === "user" ? messages[0].content : "";
  return (new RegExp(`Reply ${place}:\\n([\\s\\S]*?)\\n\\n`).exec(text)?.[1] ?? "").length;
}
