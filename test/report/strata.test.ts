import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommandLine } from "../helpers/test-io.js";

test("a run is broken down by a tag of its questions, and an unknown tag is named", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "strata-"));
  await runCommandLine("run --task personamem --method prompt,rag --out run", { cwd });
  const { stdout } = await runCommandLine("report run --by pref_type --format csv", { cwd });
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^pref_type,method,accuracy,/);
  expect(lines.slice(1).map((line) => line.split(",").slice(0, 2).join(" "))).toEqual(
    ["ask_to_forget", "other_person", "stated_preference", "updated_preference"].flatMap((value) => [
      `${value} prompt`,
      `${value} rag`,
    ]),
  );
  for (const line of lines.slice(1)) expect(line).toMatch(/,12,12$/); // questions, users
  const { code, stderr } = await runCommandLine("report run --by type", { cwd });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--by type: not in .*run; it has pref_type, who, updated/)]);
});
