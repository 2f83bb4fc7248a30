import { join } from "node:path";
import { expect, it } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import { startRatedServer } from "../helpers/rated-server.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

it("a server that answers nothing but refusals stops the run after --give-up-after, and the same command goes on", async () => {
  let isBusy = true;
  const server = await startRatedServer({
    fault: () => (isBusy ? { kind: "status", status: 429, headers: { "retry-after": "0.05" } } : undefined),
  });
  const cwd = tempDir();
  const line = `run --task lamp3 --method prompt --users 2 --limit 3 --model openai/m --base-url ${server.url} --give-up-after 0.2s --out refused`;
  try {
    const stopped = await runCommandLine(line, { cwd });
    expect(stopped.stderr).toMatch(/no reply from http:\S+ for 0.2 s \(--give-up-after\)/);
    expect(stopped).toMatchObject({ code: 3 });
    expect(rowsOf(join(cwd, "refused"))).toEqual([]);
    isBusy = false;
    const { code, stderr } = await runCommandLine(line, { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^3 calls sent/m) });
  } finally {
    await server.close();
  }
});
