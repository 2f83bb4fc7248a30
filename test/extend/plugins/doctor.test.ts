import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { main } from "../../../src/commands/main.js";
import { realClock } from "../../../src/commands/process-io.js";
import { pluginFolder } from "../../helpers/plugin-folder.js";
import { tempDir } from "../../helpers/temp-dir.js";
import { runCommandLine, testIo } from "../../helpers/test-io.js";

test("a plug-in of a method, a task and a metric that keeps the rules passes", async () => {
  const { code, stdout, stderr } = await runCommandLine("doctor ./moods", { cwd: pluginFolder() });
  expect([stderr, code, stdout]).toEqual(["", 0, expect.not.stringContaining("FAILED")]);
  expect(stdout).toMatch(/^ok +method lately: no request depends on a gold or a later event$/m);
  expect(stdout).toMatch(/^ok +task moods: its own labels are read back$/m);
  expect(stdout).toMatch(/^ok +metric letters: every question is answered, and scored by a number$/m);
  expect(stdout).toMatch(/moods 1\.2\.0: \d+ checks passed, 0 failed, 0 not checked$/);
});

/** A method whose answer is made by `body`, from question, kit and past; `head` stands above it in the file. */
const planted = (body: string, head = "") => `${head}
const ask = async (kit, content) => (await kit.ask("answer", { messages: [{ role: "user", content }] })).text;
export default { methods: [{
  name: "planted", summary: "made for a test", source: "a test", options: {},
  async personalize(user, options, kit) {
    const past = user.history;
    return async (question, own) => { ${body} };
  },
  plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ answer: { low: 1, high: 1 } }) }),
}] };`;

test.each<[string, string, string, RegExp]>([
  [
    "keeps something from one run to the next",
    planted("met += 1; return ask(own, String(met) + question.text);", "let met = 0;"),
    "executed again from its log, its rows are the same",
    /lacks \d+ request/,
  ],
  [
    "looks at later events of others",
    planted("return ask(own, kit.others.events.map(({ event }) => event.content).join() + question.text);"),
    "no request depends on a gold or a later event",
    /with golds and later events exchanged, it asks something else: /,
  ],
  [
    "asks more often than it plans",
    planted('await ask(own, "first"); return ask(own, question.text);'),
    "as many calls as planned",
    /ann-asked on lamp\w+: answer: 2 calls, planned 1\.\.1/,
  ],
  [
    "fails",
    planted("return question.nothing.text;"),
    "every question is answered",
    /ann-asked failed: .*undefined[\s\S]*\nnot checked +method planted: executed again .*: it does not answer$/m,
  ],
])("a method that %s is found out, in plain words", async (_what, source, rule, problem) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "mine.mjs"), source);
  const { code, stdout } = await runCommandLine("doctor ./mine.mjs", { cwd });
  expect(code).toBe(1);
  const failed = stdout.slice(stdout.indexOf(`method planted: ${rule}`));
  expect(stdout).toMatch(new RegExp(`^FAILED +method planted: ${rule}`, "m"));
  expect(failed).toMatch(problem);
});

test("a task whose labels are not read back, and a metric that gives no number, are found out", async () => {
  const cwd = pluginFolder();
  writeFileSync(
    join(cwd, "bad.mjs"),
    `import moods from "./moods/index.js";
const [task] = moods.tasks;
export default {
  tasks: [{ ...task, name: "worse", official: "Worse", strict: () => ({ kind: "unparsed" }) }],
  metrics: [{ ...moods.metrics[0], name: "fixed", value: () => Number.NaN }],
};`,
  );
  const { code, stdout } = await runCommandLine("doctor ./bad.mjs", { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /FAILED +task worse: its own labels are read back[^\n]*\n +the reply "happy" is not read as the label happy/,
  );
  expect(stdout).toMatch(/FAILED +metric fixed: every question[^\n]*\n +on [\w-]+ the value of fixed is no number/);
});

test("a program is started and asked, and its answers come back from the log", async () => {
  const mine = fileURLToPath(new URL("../../../docs/examples/mine.mjs", import.meta.url));
  const { code, printed, messages } = await tested(`exec:node "${mine}"`, tempDir());
  expect([code, messages]).toEqual([0, []]);
  expect(printed.join()).toMatch(/4 checks passed, 0 failed, 0 not checked$/);
});

/** With a real clock: a fake one would end every wait for a program at once. */
async function tested(named: string, cwd: string) {
  const io = {
    ...testIo({ cwd, env: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) } }),
    clock: realClock,
  };
  return { code: await main(["doctor", named], io), printed: io.printed, messages: io.messages };
}

const embedder = (embed: string) => `let n = 0; export default { embedders: [{
  name: "lengths", summary: "made for a test", costly: false,
  open: async (id) => ({ id: "lengths/" + id, dimensions: 2, embed: async (texts) => texts.map((text) => ${embed}) }),
}] };`;
const provider = (complete: string, open = "") => `export default { providers: [{
  name: "echo", summary: "made for a test",
  open: async (id, { env }) => { ${open} return {
    id: "echo/" + id, simulated: true,
    capabilities: { temperature: true, stop: false, tools: false, prefill: false, logprobs: false, thinking: "none" },
    async complete(request, signal) { ${complete} },
  }; },
}] };`;
const REPLY = 'return { text: "word", toolCalls: [], stop: "end", usage: { in: 3, out: 1 }, model: "" };';

test.each<[string, string, number, RegExp]>([
  [
    "an embedder",
    embedder("Float32Array.of(text.length, 1)"),
    0,
    /^ok +embedder lengths: .*\n\n.* 0 failed, 0 not checked$/m,
  ],
  [
    "an embedder that keeps something",
    embedder("Float32Array.of(n++, 1)"),
    1,
    /FAILED .*\n +the same text has another/,
  ],
  ["an embedder of other lengths", embedder("new Float32Array(text.length)"), 1, /vectors have 11, 12 numbers/],
  ["an embedder of no numbers", embedder("Float32Array.of(0, 1 / 0)"), 1, /a number is not finite/],
  [
    "a provider",
    provider(`signal.throwIfAborted(); ${REPLY}`),
    0,
    /^ok +provider echo: .*\n\n.* 1 check passed, 0 failed, 0 not/m,
  ],
  [
    "a provider that does not look at its signal",
    provider(REPLY),
    1,
    /^FAILED +provider echo: [^\n]*\n +it answers an aborted call/m,
  ],
  [
    "a provider that counts nothing",
    provider('signal.throwIfAborted(); return { text: "a" };'),
    1,
    /usage\.in and usage\.out are no/,
  ],
  [
    "a provider that needs a key",
    `import { UsageError } from "lamp-eval"; ${provider(REPLY, 'if (!env.KEY) throw new UsageError("echo needs KEY");')}`,
    0,
    /^not checked +provider echo: a request .*: echo needs KEY$/m,
  ],
])("%s is tried as far as it needs no key", async (_what, source, ends, says) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "mine.ts"), source);
  const { code, stdout } = await runCommandLine("doctor ./mine.ts", { cwd });
  expect(stdout).toMatch(says);
  expect(code).toBe(ends);
});
