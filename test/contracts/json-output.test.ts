import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const { $defs, ...all } = JSON.parse(readFileSync("configs/output.schema.json", "utf8"));
const form = (name: string) => z.fromJSONSchema({ ...$defs[name], $defs });

async function printed(line: string) {
  const { code, stdout, stderr } = await runCommandLine(line, { cwd });
  expect(stdout, stderr).not.toBe("");
  return { code, value: JSON.parse(stdout) };
}

beforeAll(async () => {
  const line = "run --task lamp2m,lamp3 --users 12 --queries-per-user 1";
  await runCommandLine(`${line} --method prompt,rag,persona-agent,majority --out demo --repeats 2`, { cwd });
  await runCommandLine(`${line} --method prompt --set temperature=1 --out other`, { cwd });
});

test.each([
  ["run", "run --task lamp2m --method prompt,icl --users 12 --out new --json"],
  ["run", "run --task lamp2m --method prompt,icl --users 12 --out capped --max-calls 3 --json"],
  ["run", "sweep scaling --task lamp2m --method rag --users 3 --out swept --json --vary rag.k=1,2"],
  ["dry-run", "run --task lamp2m --method pag --users 12 --dry-run --json"],
  ["report", "report demo --format json"],
  ["report", "report demo other --format json"],
  ["report", "report demo --per-user --format json"],
  ["compare", "compare demo --methods prompt,rag --json"],
  ["compare", "compare demo other --json --metric mae"],
  ["gate", "gate demo --baseline demo --json"],
  ["gate", "gate demo --baseline other --json --method prompt --strict"],
  ["baseline", "gate demo --write-baseline base.json --json"],
  ["show", "show demo --preparation --json --limit 4"],
  ["show", "show demo --wrong --json --method majority"],
  ["verify", "verify demo --json"],
  ["list", "list --json"],
  ["list", "list options --method rag --json"],
  ["list", "list rag --json"],
  ["doctor", "doctor --json"],
])("%s: the output of `%s` is as configs/output.schema.json says", async (name, line) => {
  const { code, value } = await printed(line);
  expect(form(name).safeParse(value).error?.issues ?? []).toEqual([]);
  if ("exitCode" in value) expect(value.exitCode).toBe(code);
  for (const other of Object.keys($defs).filter((one) =>
    all.oneOf.some(({ $ref }: { $ref: string }) => $ref === `#/$defs/${one}`),
  ))
    if (other !== name) expect(form(other).safeParse(value).success, other).toBe(false);
});

test("a refusal prints no JSON", async () => {
  expect(await runCommandLine("gate demo --baseline nope.json --json", { cwd })).toMatchObject({ code: 2, stdout: "" });
});

test("results.json is what report prints", async () => {
  const file = JSON.parse(readFileSync(join(cwd, "demo", "results.json"), "utf8"));
  expect((await printed("report demo --format json")).value).toEqual(file);
});
