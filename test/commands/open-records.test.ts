import { mkdirSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

/** The files below a folder that this process holds open. */
const heldOpen = (folder: string): string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(join("/proc/self/fd", fd));
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // closed since the folder was listed
    }
  });

test.skipIf(process.platform !== "linux")(
  "where one record file cannot be opened the others are closed again",
  async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, "run", "traces.jsonl"), { recursive: true });
    const { code, stderr } = await runCommandLine("run --task lamp3 --method rag --limit 1 --out run", { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("traces.jsonl: a folder stands where a file is needed");
    expect(readdirSync(join(cwd, "run"))).toContain("rows.jsonl");
    expect(heldOpen(cwd)).toEqual([]);
  },
);
