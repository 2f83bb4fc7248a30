import { describe, expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { tasks } from "../../src/tasks/index.js";
import { runCommandLine } from "../helpers/test-io.js";

async function run(...words: readonly string[]) {
  const { code, stdout, stderr } = await runCommandLine(words.join(" "), { cwd: "." });
  return { code, out: stdout, err: stderr };
}

describe("lamp-eval list NAME", () => {
  test.each(methods.names)("%s: source and options, on one screen of 100 columns", async (name) => {
    const { code, out } = await run("list", name);
    expect(code).toBe(0);
    const method = methods.get(name);
    expect(out).toMatch(new RegExp(`^method +${name}\nsummary +${method.summary.split(" ")[0]}`));
    for (const option of Object.keys(method.options)) expect(out.replaceAll(/\s+/g, " ")).toContain(`${option}=`);
    const lines = out.split("\n");
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter(({ length }) => length > 100)).toEqual([]);
  });

  test.each(tasks.names)("%s: what is answered and measured", async (name) => {
    const { out } = await run("list", name);
    for (const metric of tasks.get(name).metrics) expect(out).toContain(metric.name);
  });

  test("an option: its default, what it takes, who reads it", async () => {
    const { out } = await run("list", "rag.k");
    expect(out).toMatch(/^default +4\naccepts +a whole number of 0 or more\n[\s\S]*^methods .*rag/m);
  });
});

describe("lamp-eval list", () => {
  test("alone prints the names of each kind on one screen", async () => {
    const { out } = await run("list");
    const lines = out.split("\n");
    expect(lines.length).toBeLessThanOrEqual(30);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    for (const kind of ["tasks", "methods", "retrievers", "selectors", "metrics", "providers", "presets", "options"])
      expect(out).toMatch(new RegExp(`^${kind} `, "m"));
    for (const name of [...methods.names, ...tasks.names]) expect(out).toContain(name);
  });

  test("of presets says what each is", async () => {
    expect((await run("list", "presets")).out).toMatch(/^personamem +PersonaMem v2, text, 32k: \w/m);
  });

  test("of the options of one method, as JSON, is what that method reads", async () => {
    const { out } = await run("list", "options", "--method", "rag", "--json");
    const { options } = JSON.parse(out) as { options: { name: string; default: unknown }[] };
    expect(options.map(({ name }) => name)).toEqual(Object.keys(methods.get("rag").options));
    expect(options[0]).toMatchObject({
      name: "rag.k",
      default: 4,
      accepts: expect.any(String),
      help: expect.any(String),
    });
  });
});
