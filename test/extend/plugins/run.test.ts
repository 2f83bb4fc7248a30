import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pluginFolder } from "../../helpers/plugin-folder.js";
import { manifestIn } from "../../helpers/stored-run.js";
import { runCommandLine } from "../../helpers/test-io.js";

const RUN = "run -t moods -m lately --metric letters --data moods/data --out run";

describe("a run with a plug-in", () => {
  test("has its task, method and metric in table and page, and keeps name, version and files in the manifest", async () => {
    const cwd = pluginFolder();
    const { code, stdout, stderr } = await runCommandLine(`${RUN} --plugin ./moods`, { cwd });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("lamp-eval:")]);
    expect(stdout).toContain("Moods · data data");
    expect(stdout).toMatch(/right \[95 %\] +letters/);
    await runCommandLine("report run --html --plugin ./moods", { cwd });
    expect(readFileSync(join(cwd, "run/report.html"), "utf8")).toContain("letters");
    expect(manifestIn(join(cwd, "run"))?.plugins).toEqual([
      {
        name: "moods",
        version: "1.2.0",
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        files: { "index.js": expect.any(String), "letters.js": expect.any(String) },
        brings: ["task moods", "method lately", "metric letters"],
      },
    ]);
  });

  test("is resumed with the same plug-in only: a changed file is named", async () => {
    const cwd = pluginFolder();
    await runCommandLine(`${RUN} --plugin ./moods`, { cwd });
    const again = await runCommandLine(`${RUN} --plugin ./moods`, { cwd });
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("0 calls sent")]);
    const path = join(cwd, "moods/letters.js");
    writeFileSync(path, `${readFileSync(path, "utf8")}// longer\n`);
    const changed = await runCommandLine(`${RUN} --plugin ./moods`, { cwd });
    expect(changed.code).toBe(2);
    expect(changed.stderr).toContain("plug-in moods changed");
  });

  test("is not resumed without a plug-in that it was begun with", async () => {
    const cwd = pluginFolder();
    const line = "run -t lamp2m -m prompt --users 1 --limit 1 --out run";
    await runCommandLine(`${line} --plugin ./moods`, { cwd });
    const { code, stderr } = await runCommandLine(line, { cwd });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        "plug-in moods is not at hand (--plugin FILE); give it as it was, or choose another --out",
      ),
    ]);
  });

  test("takes it from a config, where paths start at the config", async () => {
    const cwd = pluginFolder();
    writeFileSync(
      join(cwd, "moods/run.yaml"),
      "plugins: ./index.js\ntask: moods\nmethod: lately\nmetric: letters\nset: { lately.k: 1 }\n",
    );
    const { code } = await runCommandLine("run --config moods/run.yaml --data moods/data --out run", { cwd });
    expect([code, readFileSync(join(cwd, "run/results.md"), "utf8")]).toEqual([0, expect.stringContaining("letters")]);
    writeFileSync(join(cwd, "bad.yaml"), "plugins: [./moods]\ntask: moods\nmethod: lately\nset: { lately.q: 1 }\n");
    const bad = await runCommandLine("run --config bad.yaml --dry-run", { cwd });
    expect(bad.stderr).toContain('lately.q: no such option; did you mean "lately.k"?');
  });
});

test("what a plug-in brings is listed, with its options", async () => {
  const cwd = pluginFolder();
  const listed = async (kind: string) => (await runCommandLine(`list ${kind} --plugin ./moods`, { cwd })).stdout;
  expect(await listed("tasks")).toMatch(/moods +Moods: personalized/);
  expect(await listed("methods")).toMatch(/lately +the latest events/);
  expect(await listed("options")).toMatch(/lately\.k=2 +events shown \(integer 0\.\.20\)/);
});
