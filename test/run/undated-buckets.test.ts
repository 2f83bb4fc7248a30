import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { replyBody } from "../helpers/provider-replies.js";
import { type ProviderServer, startProviderServer } from "../helpers/provider-server.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer({ reply: ({ body }) => replyBody("chat", { model: body.model, text: "a" }) });
  writeChats();
  writeTable();
});
afterAll(() => server.close());

const SESSIONS = [["alder", "birch"], ["cedar"], ["damson", "elder", "fir"]];
const OPTIONS = ["One.", "Two.", "Three.", "Four."];

/** The same chat in both forms of PersonaMem; version 1 asks before the last message of the user. */
function writeChats(): void {
  const turn = (role: string, content: string) => ({ role, content });
  const chat = SESSIONS.flatMap((said) => [
    turn("system", "The user is Ann."),
    ...said.flatMap((word) => [turn("user", `I like ${word}.`), turn("assistant", "Noted.")]),
  ]);
  const csv = (rows: readonly (readonly string[])[]) =>
    rows.map((row) => row.map((arm) => `"${arm.replaceAll('"', '""')}"`).join(",")).join("\n");
  const two = [
    ["persona_id", "chat_history_32k_link", "user_query", "correct_answer", "incorrect_answers"],
    ["p1", "chat.json", "Which?", OPTIONS[0]!, JSON.stringify(OPTIONS.slice(1))],
  ];
  mkdirSync(join(cwd, "personamem"));
  writeFileSync(join(cwd, "personamem/benchmark.csv"), csv(two));
  writeFileSync(join(cwd, "personamem/chat.json"), JSON.stringify({ chat_history: chat }));
}

/** A user of LongLaMP with 23 past posts. */
function writeTable(): void {
  const profile = Array.from({ length: 23 }, (_, i) => ({ summary: `Post w${i + 1}`, content: `I wrote w${i + 1}.` }));
  const row = { author: "ann", input: "Generate the content for a reddit post Post", output: "I wrote.", profile };
  mkdirSync(join(cwd, "longlamp-topic"));
  writeFileSync(join(cwd, "longlamp-topic/test.jsonl"), JSON.stringify(row));
}

/** Summaries of a bucket that a method asks for. */
const EACH = { membank: 2, sage: 1 };

const words = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, i) => `w${from + i}`);

test.for([
  ["personamem", SESSIONS],
  ["longlamp-topic", [words(1, 10), words(11, 20), words(21, 23)]],
] as const)("%s: membank and sage summarize session by session what has no dates", async ([task, sessions]) => {
  for (const [method, each] of Object.entries(EACH)) {
    const before = server.requests.length;
    const { code, stderr } = await runCommandLine(
      `run --task ${task} --data ${task} --method ${method} --set ${method}.mode=direct --model openai/some-model --base-url ${server.url}/v1 --concurrency 1 --out ${task}-${method}`,
      { cwd, env: { OPENAI_API_KEY: "sk-fake-0123456789" } },
    );
    expect(code, stderr).toBe(0);
    const summed = server.requests.slice(before).flatMap(({ body }) => {
      const [, material, name] =
        /^(.*)\n\nAbove is what the user did \((.*?)\)/s.exec(body.messages.at(-1).content) ?? [];
      return material === undefined ? [] : [`${name}: ${material.match(/(?<=I (?:like|wrote) )\w+/g)?.join(" ")}`];
    });
    const expected = sessions.flatMap((said, i) => Array(each).fill(`session ${i + 1}: ${said.join(" ")}`));
    expect(summed).toEqual(expected);
  }
});
