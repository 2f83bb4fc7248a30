import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { builtIn, extended } from "../../../src/app/catalogue.js";
import { auditJudges } from "../../../src/app/judge/audit.js";
import { judgeRun } from "../../../src/app/judge/judge.js";
import type { Judge, Model, ModelReply, ModelRequest, Provider } from "../../../src/types/index.js";
import { suiteDir } from "../../helpers/suite-dir.js";
import { runCommandLine, testIo } from "../../helpers/test-io.js";

const cwd = suiteDir();
const asked: ModelRequest[] = [];

/** Judges that like long replies and short ones; their model only says how long the reply is. */
const liking = (name: string, value: (length: number) => number): Judge => ({
  name,
  summary: "made for a test",
  source: "none",
  shows: 1,
  range: [0, 1000],
  request: ({ predictions: [reply] }) => ({ messages: [{ role: "user", content: `${name}: ${reply}` }], maxTokens: 9 }),
  read: (reply) => ({ value: value(Number(reply)), why: "" }),
});
const planted: Provider = {
  name: "planted",
  summary: "made for a test",
  async open(id): Promise<Model> {
    return {
      id: `planted/${id}`,
      capabilities: { temperature: true, stop: true, tools: false, prefill: false, logprobs: false, thinking: "none" },
      simulated: false,
      async complete(request): Promise<ModelReply> {
        asked.push(request);
        const { content } = request.messages[0] as { readonly content: string };
        const text = String(Math.min(900, content.slice(content.indexOf(":")).length));
        return { text, toolCalls: [], stop: "end", usage: { in: 10, out: 2 }, model: id };
      },
    };
  },
};
const judges = [liking("long-liking", (length) => length), liking("short-liking", (length) => 1000 - length)];
const io = { ...testIo({ cwd }), catalogue: extended(builtIn, { providers: [planted], judges }, "the test") };
const audit = (more = {}) =>
  auditJudges({ run: "talk", judge: "long-liking,short-liking", model: "planted/one", ...more }, io);

beforeAll(async () => {
  const line = "run --task alex-like --method stateless,assistant --users 12 --queries-per-user 2 --out talk";
  const { code, stderr } = await runCommandLine(line, { cwd });
  if (code !== 0) throw new Error(stderr);
});

test("an audit asks nothing twice, takes no cap, and finds judges that disagree", async () => {
  const shared = { model: "planted/one", judge: "long-liking" };
  await judgeRun({ run: "talk", ...shared }, io);
  const replies = asked.length;
  await expect(audit({ maxCalls: replies + 5 })).rejects.toThrow("a cap is of one; leave one out");
  expect(asked).toHaveLength(replies);
  const { text, audit: found, interrupted } = await audit();
  expect([interrupted, found?.verdict]).toEqual([false, "ORDER DEPENDS ON THE JUDGE"]);
  // Two settings and the first once more, over all replies; and both over the constant answer, which is one request a setting.
  expect(asked.length).toBeLessThanOrEqual(3 * replies + 2 * 24);
  expect(new Set(asked.map(({ messages, sample }) => JSON.stringify([messages, sample]))).size).toBe(asked.length);
  expect(text).toMatch(/^ORDER DEPENDS ON THE JUDGE: on alex-like .* both shown\n/);
  expect(text).toMatch(/\(constant answer\) +\d+\.\d\d .* +\d+\.\d\d /);
  expect(readFileSync(join(cwd, "talk", "audit", "audit.md"), "utf8")).toContain("ORDER DEPENDS ON THE JUDGE");
  const before = asked.length;
  expect((await audit()).text).toBe(text);
  expect(asked).toHaveLength(before);
  const { code, stdout } = await runCommandLine("verify talk", { cwd });
  expect([code, stdout]).toEqual([1, expect.stringContaining("the judge long-liking is not at hand")]);
  expect(stdout).not.toContain("FAIL");
});

test.each([
  [{ judge: "long-liking" }, "--audit compares judges: name two or more"],
  [{ judge: "long-liking,longliking" }, 'did you mean "long-liking"'],
])("%o is refused before the first call", async (more, said) => {
  const before = asked.length;
  await expect(audit(more)).rejects.toThrow(said);
  expect(asked).toHaveLength(before);
});
