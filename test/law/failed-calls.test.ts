/** Some calls fail for good. Rows and traces are the same bytes at every concurrency: whichever failure came first. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runFiles } from "../../src/record/rows.js";
import { sha256 } from "../../src/text/content-id.js";
import { runHere } from "../e2e/in-process.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { Command, env, expectSame } from "./command.js";
import { servedModel, startUnevenServer } from "./uneven-server.js";

const root = suiteDir();
const share = 0.03;
const salt = "a";
let server: ProviderServer;
beforeAll(async () => {
  server = await startUnevenServer({
    fails: (body) => Number.parseInt(sha256(`${salt} ${JSON.stringify(body)}`).slice(0, 6), 16) < share * 16 ** 6,
  });
});
afterAll(() => server.close());

async function recordsAt(concurrency: number, name: string, line: string): Promise<Record<string, string>> {
  const cwd = join(root, `${name}-${concurrency}`);
  const command = new Command(
    cwd,
    `${line} --concurrency ${concurrency} --model ${servedModel} --base-url ${server.url}`,
  );
  const { code, stderr } = await runHere(command.args, { cwd, env });
  if (code !== 0 && code !== 1) throw new Error(stderr);
  return Object.fromEntries(
    [runFiles.rows, runFiles.traces].map((file) => [file, readFileSync(join(command.folder, file), "utf8")]),
  );
}

const llm = "--set assistant.extract=llm --set graph-rag.reports=llm";
const lines = {
  lamp2m: `--task lamp2m --method rums,assistant,graph-rag --set rums.filterItems=3 ${llm} --users 2 --queries-per-user 2`,
};

test.each(Object.entries(lines))("%s", async (name, line) => {
  const [one, many] = [await recordsAt(1, name, line), await recordsAt(32, name, line)];
  expectSame(many, one);
  expect(one[runFiles.rows]).toContain('"kind":"failed"');
});
