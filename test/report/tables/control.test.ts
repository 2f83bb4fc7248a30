import { join } from "node:path";
import { expect, test } from "vitest";
import { controlRemarks } from "../../../src/report/tables/remarks.js";
import { tempDir } from "../../helpers/temp-dir.js";
import { runCommandLine } from "../../helpers/test-io.js";
import { writeRun } from "../../helpers/written-run.js";

const cell = (method: string, control?: string) => ({
  method,
  options: control === undefined ? {} : { "history.control": control },
});

test("the head of a table says of methods whose every row had another past which one it was", () => {
  expect(controlRemarks([cell("rag", "deranged"), cell("prompt", "deranged")])).toEqual([
    "past: deranged (history.control), not the users' own",
  ]);
  expect(controlRemarks([cell("rag", "none"), cell("prompt", "reversed"), cell("icl")])).toEqual([
    "past of rag: none (history.control), not the users' own",
    "past of prompt: reversed (history.control), not the users' own",
  ]);
  expect(controlRemarks([cell("rag", "right"), cell("rag", "none"), cell("prompt"), cell("icl", "right")])).toEqual([]);
});

test("report says it of a run with one control over all arms", async () => {
  const cwd = tempDir();
  const options = { "history.control": "deranged" };
  const arm = { task: "lamp2m", options, golds: ["comedy", "action"], replies: ["comedy", "comedy"] };
  writeRun(join(cwd, "spoilt"), { arms: ["rag", "prompt"].map((method) => ({ ...arm, method })) });
  const { stdout } = await runCommandLine("report spoilt", { cwd });
  expect(stdout).toMatch(/^warning: past: deranged \(history\.control\), not the users' own$/m);
});
