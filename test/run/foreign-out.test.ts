import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const type = (line: string) => runCommandLine(line, { cwd });
const work = "run --task lamp3 --method rag --data data";

beforeAll(async () => {
  writeReviews(
    join(cwd, "data"),
    ["ann", "bob", "cy"].map((id) => reviewUser(id)),
  );
  expect((await type(`${work} --out done`)).code).toBe(0);
  await type("export done --form pack --out done.pack");
  const [, id] = /"question":"([^"]+)"/.exec(readFileSync(join(cwd, "done/rows.jsonl"), "utf8")) ?? [];
  writeFileSync(join(cwd, "p.json"), JSON.stringify([{ id, output: "3" }]));
});

/** What a person keeps under a name that a run writes: questions of an own task, a readme, a table. */
const own = {
  "rows.jsonl": '{"user":"ann","history":[],"question":"q","gold":"1"}\n',
  "README.md": "# Mine\n",
  "results.csv": "a,b\n",
};

test.each([
  work,
  `${work} --reuse done`,
  "import --predictions p.json --task lamp3 --data data --name mine",
  `${work} --replay done.pack`,
])("%s writes over no file of a folder that holds no run", async (command) => {
  for (const [name, text] of Object.entries(own)) {
    const folder = join(cwd, "mine");
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    writeFileSync(join(folder, name), text);
    const { code, stderr } = await type(`${command} --out mine`);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`holds ${name}, which`) });
    expect(readdirSync(folder)).toEqual([name]);
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  }
});
