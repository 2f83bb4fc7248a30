import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allOptions } from "../../src/app/common/all-options.js";
import { builtIn } from "../../src/catalogue.js";
import { heldBefore, valuesBefore } from "../../src/options.js";
import { readManifest } from "../../src/run/manifest/manifest.js";

const root = join(import.meta.dirname, "../..");
const fixture = join(root, "test/fixtures/run-0.1.0");
/** Name -> default of every option of version 0.1.0, as text. */
const old: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(fixture, "options.json"), "utf8"));
const today = allOptions();

describe("options of version 0.1.0", () => {
  test("are all there, with that version's default, or with that default as what a stored plan means by silence", () => {
    for (const [name, value] of Object.entries(old)) {
      const option = today[name];
      expect(option, name).toBeDefined();
      expect(String(option?.before?.value ?? option?.default), name).toBe(value);
    }
  });

  test("younger options of its methods say what held before them", () => {
    const oldMethods = builtIn.methods.all.filter(({ options }) => Object.keys(options).some((name) => name in old));
    expect(oldMethods.map(({ name }) => name)).toContain("persona-agent");
    const shared = builtIn.methods.all
      .filter((method) => oldMethods.includes(method))
      .map(({ name, options }) => ({
        name,
        silent: Object.keys(options).filter((one) => !(one in old) && options[one]?.before === undefined),
      }));
    const firstMethods = ["graph-rag", "icl", "membank", "pag", "persona-agent", "prompt", "rag", "react"];
    expect(shared.filter(({ name, silent }) => firstMethods.includes(name) && silent.length > 0)).toEqual([]);
  });

  test("whose defaults changed are those that FIDELITY lists, with both values", () => {
    const [, section = ""] = readFileSync(join(root, "docs/FIDELITY.md"), "utf8").split("## Defaults that changed");
    const listed = [...section.matchAll(/^\| `(.+?)` \| `(.+?)` \| `(.+?)` \|$/gm)].map(([, ...row]) => row);
    const changed = Object.entries(valuesBefore(today)).flatMap(([name, before]) =>
      before === today[name]?.default ? [] : [[name, String(today[name]?.default), String(before)]],
    );
    expect(listed.toSorted()).toEqual(changed.toSorted());
  });

  test("a plan that it stored is run again with what held then, whatever the defaults are now", () => {
    const { plan } = readManifest(join(fixture, "finished")) ?? expect.fail("the fixture has a manifest");
    expect(heldBefore(today, plan.cells)).toMatchObject({
      "data.limitOrder": "user-by-user",
      "others.questionIds": "any",
      "lamp1.wrongOptions": "all",
      "graph.concepts": "released",
      "graph.asOf": "run",
      "summary.events": "shown",
      "persona-agent.toolRules": "as-written",
    });
  });
});
