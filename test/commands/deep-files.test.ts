import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { LOG_FILE } from "../../src/log/log.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const LEVELS = 100_000;
const deep = `${"[".repeat(LEVELS)}${"]".repeat(LEVELS)}`;
const cwd = suiteDir();

beforeAll(async () => {
  writeFileSync(join(cwd, "golds.json"), `{"task":"LaMP_3","golds":[{"id":"x","output":${deep}}]}`);
  expect((await runCommandLine("run --task lamp3 --method prompt --users 1 --limit 1 --out r", { cwd })).code).toBe(0);
});

test.each([
  "import --task lamp3 --name mine --predictions golds.json --out i",
  "score --task lamp3 --predictions golds.json --golds golds.json",
])("%s refuses values nested thousands of levels deep in one line that names the file", async (line) => {
  const { code, stderr } = await runCommandLine(line, { cwd });
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^lamp-eval: .*golds\.json.*(: nested more than 100 levels deep|"output" is no text; write null .*)$/,
  );
});

test.each(["report r", "verify r", "show r"])(
  "%s bears such a value in a whole line of the log, without a trace",
  async (line) => {
    const body = `{"t":"fact","name":"deep","value":${deep}`;
    appendFileSync(join(cwd, "r", LOG_FILE), `${body},"#":"${crc32(body).toString(16)}"}\n`);
    const { code, stderr } = await runCommandLine(line, { cwd });
    expect(stderr).not.toMatch(/internal error|^\s+at /m);
    expect(code).toBe(line === "verify r" ? 2 : 0);
  },
);
