import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { main } from "../../../src/commands/main.js";
import { realClock } from "../../../src/commands/terminal.js";
import { pluginFolder } from "../../helpers/plugin-folder.js";
import { tempDir } from "../../helpers/temp-dir.js";
import { runCommandLine, testIo } from "../../helpers/test-io.js";

test("a plug-in of a method, a task and a metric that keeps the rules passes", async () => {
  const { code, stdout, stderr } = await runCommandLine("doctor ./moods", { cwd: pluginFolder() });
  expect([stderr, code, stdout]).toEqual(["", 0, expect.not.stringMatching(/^(fail|warn)/m)]);
  expect(stdout).toMatch(/^ok +method lately +no request depends on a gold or a later event$/m);
  expect(stdout).toMatch(/^ok +task moods +its own labels are read back$/m);
  expect(stdout).toMatch(/^ok +metric letters +every question is answered, and scored by a number$/m);
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
    "calls what its plan does not name",
    planted(
      'await own.ask("summary", { messages: [{ role: "user", content: "x" }] }); return ask(own, question.text);',
    ),
    "it makes no more calls than its plan says",
    /on [\w-]+ 3 calls of phase summary for 3 questions; its plan says 0/,
  ],
  ["fails", planted("return question.nothing.text;"), "every question is answered", /ann-asked failed: .*undefined/],
])("a method that %s is found out, in plain words", async (_what, source, rule, problem) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "mine.mjs"), source);
  const { code, stdout } = await runCommandLine("doctor ./mine.mjs", { cwd });
  expect([code, stdout]).toEqual([1, expect.not.stringContaining(rule.startsWith("executed") ? "exchanged" : "?")]);
  expect(stdout).toMatch(new RegExp(`^fail +method planted +${rule}.*\\n +.*${problem.source}`, "m"));
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
    /fail +task worse +its own labels are read back[^\n]*\n +the reply "happy" is not read as the label happy/,
  );
  expect(stdout).toMatch(/fail +metric fixed +every question[^\n]*\n +on [\w-]+ the value of fixed is no number/);
});

test("a program is started and asked, and its answers come back from the log", async () => {
  const mine = fileURLToPath(new URL("../../../docs/examples/mine.mjs", import.meta.url));
  const { code, printed, messages } = await tested(`exec:node "${mine}"`, tempDir());
  expect([code, messages]).toEqual([0, []]);
  expect(printed.join()).toMatch(/^(ok {2}.*\n?){4}$/);
});

test("a program that cannot be started fails, once", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "mine.py"), "");
  for (const [named, why] of [
    ["./nope.py", "there is no file"],
    ["./mine.py", "mine.py is not executable"],
  ])
    expect(await tested(`exec:${named}`, cwd)).toEqual({
      ...{ code: 1, messages: [] },
      printed: [expect.stringMatching(new RegExp(`^fail  exec:${named}  [^\n]*${why}[^\n]*$`))],
    });
});

/** With a real clock: a fake one would end every wait for a program at once. */
async function tested(named: string, cwd: string) {
  const io = {
    ...testIo({ cwd, env: { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) } }),
    clock: realClock,
  };
  return { code: await main(["doctor", named], io), printed: io.printed, messages: io.messages };
}

test("embedders, providers and judges are loaded, and the command that tries each is named", async () => {
  const cwd = tempDir();
  const open = "summary: 'made for a test', open: async () => ({})";
  writeFileSync(
    join(cwd, "mine.ts"),
    `export default { embedders: [{ name: "lengths", ${open} }], providers: [{ name: "echo", ${open} }] };`,
  );
  const { code, stdout } = await runCommandLine("doctor ./mine.ts", { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^warn +embedder lengths +try run --set embedder=lengths\/ID$/m);
  expect(stdout).toMatch(/^warn +provider echo +try doctor --plugin \.\/mine\.ts --model echo\/ID$/m);
});
