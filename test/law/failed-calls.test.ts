/** Some calls fail for good. Rows and traces are the same bytes at every concurrency: whichever failure came first. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judges } from "../../src/judges/index.js";
import { methods } from "../../src/methods/index.js";
import { runFiles } from "../../src/record/rows.js";
import { sha256 } from "../../src/text/content-id.js";
import { runHere } from "../e2e/in-process.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { Command, env, expectSame } from "./command.js";
import { servedModel, startUnevenServer } from "./uneven-server.js";

const root = suiteDir();
const share = 0.03;
const salt = "d";
/** A request fails by its content; one to an encoder where one of its texts does. */
const fails = (content: unknown): boolean =>
  Number.parseInt(sha256(`${salt} ${JSON.stringify(content)}`).slice(0, 6), 16) < share * 16 ** 6;
let server: ProviderServer;
beforeAll(async () => {
  server = await startUnevenServer({ fails: (body) => (body.input ?? [body]).some(fails) });
});
afterAll(() => server.close());

const served = (concurrency: number): string =>
  `--concurrency ${concurrency} --model ${servedModel} --base-url ${server.url}`;

/** Runs a command line to its end, which failed questions may be. */
async function ended(args: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await runHere(args, { cwd, env });
  if (code !== 0 && code !== 1) throw new Error(stderr);
}

const recordsIn = (folder: string): Record<string, string> =>
  Object.fromEntries([runFiles.rows, runFiles.traces].map((file) => [file, readFileSync(join(folder, file), "utf8")]));

/** Returns the rows and traces of a run at a concurrency, once the run is verified. */
async function recordsAt(concurrency: number, name: string, line: string): Promise<Record<string, string>> {
  const command = new Command(
    join(root, `${name}-${concurrency}`),
    `${line.replace("SERVER", server.url)} ${served(concurrency)}`,
  );
  const { cwd } = command;
  for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
  await ended(command.args, cwd);
  const plugin = line.includes("--plugin") ? ["--plugin", "fan-out.mjs"] : [];
  if (concurrency > 1) expect(await runHere(["verify", "out", ...plugin], { cwd, env })).toMatchObject({ code: 0 });
  return recordsIn(command.folder);
}

const here = (file: string): string => readFileSync(new URL(file, import.meta.url), "utf8");
const files = {
  "fan-out.mjs": here("fan-out.mjs"),
  "mine.mjs": here("../../docs/examples/mine.mjs"),
  "exec.json": JSON.stringify({ method: ["exec:node mine.mjs"] }),
};

const everyMethod = `--method ${methods.names.join(",")} --set rums.filterItems=3`;
const llm = "--set assistant.extract=llm --set graph-rag.reports=llm";
const lines = {
  "every method": `--task lamp2m ${everyMethod} ${llm} --users 1 --queries-per-user 1`,
  "every method, online": `--task lamp3 ${everyMethod} ${llm} --online --users 1 --queries-per-user 2`,
  "an encoder at a server":
    "--task lamp3 --method membank,icl --users 2 --queries-per-user 2 --set select=dense --set embedder=openai/small --set embedder.baseUrl=SERVER",
  dialogues: "--task personachat,home-commands --method assistant,buffer,rag",
  "a plug-in": "--task lamp2m --plugin fan-out.mjs --method fan-out --users 3 --queries-per-user 2",
  "a plug-in, online": "--task lamp3 --plugin fan-out.mjs --method fan-out --online --users 2 --queries-per-user 3",
  "a selector of a plug-in":
    "--task lamp2m --plugin fan-out.mjs --method rag,membank --set select=asking --users 1 --queries-per-user 2",
  "a program": "--config exec.json --task lamp2m --users 16",
};

test.each(Object.entries(lines))("%s", async (name, line) => {
  const one = await recordsAt(1, name, line);
  const many = await recordsAt(32, name, line);
  expectSame(many, one);
  expect(one[runFiles.rows]!.includes('"kind":"failed"')).toBe(true);
});

test.each(judges.all)("judge $name", async ({ name, shows, split }) => {
  const hasRubrics = split !== undefined;
  if (hasRubrics) await recordsAt(32, name, "--task lamp-qa --method prompt,rag");
  const judged = join(hasRubrics ? `${name}-32` : "every method-32", "out");
  const against = shows === 2 ? ["--against", "rag"] : [];
  const [one, many] = [1, 32].map((concurrency) => {
    const args = ["judge", judged, "--judge", name, ...against, "--out", `judge-${name}-${concurrency}`];
    return { args: [...args, ...served(concurrency).split(" ")], out: join(root, `judge-${name}-${concurrency}`) };
  });
  await ended(one!.args, root);
  await ended(many!.args, root);
  expectSame(recordsIn(many!.out), recordsIn(one!.out));
});
