/**
 * A run is a record of what came from outside, and everything else is computed from it: delete all other files, run the same
 * command again, and the same bytes come back without a call.
 */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoFolder } from "../../src/data/formats/index.js";
import { methods } from "../../src/methods/index.js";
import { tasks } from "../../src/tasks/index.js";
import { startBatchServer } from "../helpers/batch-server.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { armRecords } from "../helpers/report-json.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { Command, expectSame } from "./command.js";
import { answerOf, servedModel, startUnevenServer } from "./uneven-server.js";

const root = suiteDir();
const everyMethod = `--method ${methods.names.join(",")}`;
const withDemoData = tasks.all.filter((task) => existsSync(demoFolder(task))).map(({ name }) => name);

describe("with the embedded model", () => {
  const tried = new Set<string>();

  test.each(withDemoData)("every method on %s comes back", async (task) => {
    const line = `--task ${task} ${everyMethod} --users 2 --queries-per-user 1`;
    const command = new Command(join(root, task), line);
    for (const { method } of armRecords((await command.finish())["results.json"]!)) tried.add(method!);
    await command.comesBack();
  });

  test("no method was left out", () => expect([...tried].sort()).toEqual([...methods.names].sort()));

  test("every method that learns on the way (--online) comes back", async () => {
    const line = `--task lamp3 ${everyMethod} --online --users 2 --queries-per-user 3`;
    const command = new Command(join(root, "online"), line);
    await command.finish();
    await command.comesBack();
  });
});

describe("with a model at a server whose replies come in another order than the calls", () => {
  let server: ProviderServer;
  beforeAll(async () => {
    server = await startUnevenServer();
  });
  afterAll(() => server.close());

  const sent = (): number => server.requests.length;
  const served = (name: string, line: string): Command =>
    new Command(join(root, name), `${line} --model ${servedModel} --base-url ${server.url}`);

  test("repeats at a temperature, which get other replies to equal requests, come back", async () => {
    const methodsOf = "--method prompt,rag,persona-agent-wo-alignment";
    const command = served("repeats", `--task lamp2m ${methodsOf} --users 3 --repeats 3 --set temperature=0.9`);
    await command.finish();
    await command.comesBack(sent);
  });

  test("a sweep over options of several arms comes back", async () => {
    const command = served("sweep", "--config sweep.json");
    const config = { task: ["lamp2m", "lamp3"], method: ["rag", "membank", "graph-rag"], users: 2, queriesPerUser: 2 };
    const sweep = { "rag.k": [1, 4], "memory.k": [2, 5] };
    writeFileSync(join(command.cwd, "sweep.json"), JSON.stringify({ ...config, sweep }));
    await command.finish();
    await command.comesBack(sent);
  });

  test("a stream (--online) comes back", async () => {
    const line = "--task lamp3 --method rag,membank,persona-agent --online --users 3 --queries-per-user 2";
    const command = served("stream", line);
    await command.finish();
    await command.comesBack(sent);
  });

  test("dialogues come back", async () => {
    const command = served("dialogues", "--task personachat,home-commands --method assistant,buffer,rag");
    await command.finish();
    await command.comesBack(sent);
  });

  test("vectors of an encoder at a server come back", async () => {
    const encoder = `--set select=dense --set embedder=openai/small --set embedder.baseUrl=${server.url}`;
    const command = served("vectors", `--task lamp3 --method rag,membank --users 2 ${encoder}`);
    await command.finish();
    expect(server.requests.some(({ path }) => path.endsWith("/embeddings"))).toBe(true);
    await command.comesBack(sent);
  });

  test("a run stopped by a cap and taken up again has the files of one that went through, and comes back", async () => {
    const line = "--task lamp2m,lamp3 --method rag,pag,persona-agent --users 3 --queries-per-user 3";
    const before = sent();
    const whole = await served("whole", line).finish();
    const calls = sent() - before;
    const command = served("capped", line);
    expect(await command.exit("--max-calls", String(Math.floor(calls / 2)))).not.toBe(0);
    expect(sent() - before).toBe(calls + Math.floor(calls / 2));
    expectSame(await command.finish(), whole);
    expect(sent() - before).toBe(2 * calls);
    await command.comesBack(sent);
  });
});

test("a run in batches of a provider comes back", async () => {
  const provider = await startBatchServer({ answer: (body) => answerOf(body) });
  try {
    const arms = "--task lamp2m,lamp3 --method prompt,pag,persona-agent-wo-alignment --users 2 --queries-per-user 2";
    const line = `${arms} --batch agents --model ${servedModel} --base-url ${provider.url}`;
    const command = new Command(join(root, "batches"), line, runCommandLine); // its clock does not wait for batches
    await command.finish();
    expect(provider.batches.length).toBeGreaterThan(1);
    await command.comesBack(() => provider.single + provider.batches.length);
  } finally {
    await provider.close();
  }
});
