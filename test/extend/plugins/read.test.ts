import { appendFileSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pluginFolder } from "../../helpers/plugin-folder.js";
import { runCommandLine } from "../../helpers/test-io.js";

const NAMED = "run: task moods (plug-in moods) is not known here; give it again: --plugin FILE";

/** A run of a built-in task and one of a plug-in, and the same again in `twin`. */
async function runs() {
  const cwd = pluginFolder();
  copyFileSync(join(import.meta.dirname, "../../../datasets/demo/lamp3/users.json"), join(cwd, "users.json"));
  const type = (line: string) => runCommandLine(line, { cwd });
  const common = "-m prompt,lately --metric letters --users 2 --limit 4 --plugin ./moods";
  for (const out of ["run", "twin"])
    await type(`run -t lamp3,moods --data lamp3=users.json,moods=moods/data --out ${out} ${common}`);
  return Object.assign(type, { cwd });
}

test("a command that reads a run loads no code for it: it names the plug-in, and works with it", async () => {
  const type = await runs();
  const reading = [
    "report run",
    "report run --html",
    "report run --figures gains",
    "compare run --methods prompt,lately",
    "compare run run --methods prompt,lately",
    "gate run --baseline twin",
  ];
  for (const line of reading) {
    const without = await type(line);
    expect([line, without.code, without.stderr]).toEqual([line, 2, expect.stringContaining(NAMED)]);
    const { code, stderr } = await type(`${line} --plugin ./moods${line.startsWith("gate") ? " --margin .05" : ""}`);
    expect([line, code, stderr]).toEqual([line, 0, expect.not.stringContaining("not known")]);
  }
  const whole = await type("report run --wide --plugin ./moods");
  expect(whole.stdout).toMatch(/LaMP-3[\s\S]*letters[\s\S]*Moods[\s\S]*letters/);
  expect((await type("compare run --methods prompt,lately --plugin ./moods")).stdout).toContain("letters");

  const shown = await type("show run --method lately");
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("happy or sad")]);
});

test("verify and replay need it, and name it", async () => {
  const type = await runs();
  const data = "--data lamp3=users.json,moods=moods/data";
  expect((await type("export run --form pack --out run.pack --plugin ./moods")).code).toBe(0);
  for (const recorded of ["run", "run.pack"]) {
    const without = await type(`verify ${recorded} ${data}`);
    expect([recorded, without.code, without.stderr]).toEqual([recorded, 2, expect.stringContaining("moods")]);
    const whole = await type(`verify ${recorded} ${data} --plugin ./moods`);
    expect([recorded, whole.code, whole.stdout]).toEqual([recorded, 0, expect.not.stringContaining("DIFFERS")]);
    expect(whole.stderr).not.toContain("changed");
  }
  appendFileSync(join(type.cwd, "moods/letters.js"), "// longer\n");
  const named = "plug-in moods changed";
  expect((await type(`verify run ${data} --plugin ./moods`)).stderr).toContain(`run: ${named}`);
  const replay = `run -t lamp3,moods --data lamp3=users.json,moods=moods/data -m prompt,lately --metric letters --users 2 --limit 4`;
  expect((await type(`${replay} --plugin ./moods --replay run --out again`)).stderr).toContain(`run: ${named}`);
});
