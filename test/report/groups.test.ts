import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

test("a run is broken down by a tag of its questions, and an unknown tag is named", async () => {
  const cwd = tempDir();
  await runCommandLine("run --task personamem --method prompt,rag --out run", { cwd });
  const { stdout } = await runCommandLine("report run --by pref_type --format csv", { cwd });
  const [head, ...lines] = stdout.trimEnd().split("\n");
  expect(head).toMatch(/^pref_type,method,users,n,accuracy,accuracy_low/);
  expect(lines.map((line) => line.split(",").slice(0, 4).join(" "))).toEqual(
    ["ask_to_forget", "other_person", "stated_preference", "updated_preference"].flatMap((value) => [
      `${value} prompt 12 12`,
      `${value} rag 12 12`,
    ]),
  );
  const { code, stderr } = await runCommandLine("report run --by type", { cwd });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--by type: not in .*run; it has pref_type, who, updated/)]);
});
