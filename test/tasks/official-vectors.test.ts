import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { sections } from "../../scripts/conformance/prompts.js";
import { sharedDir } from "../helpers/shared.js";

const shared = sharedDir();
const vectors: Record<string, unknown> =
  shared === undefined ? {} : JSON.parse(readFileSync(path.join(shared, "oracle", "prompts.json"), "utf8"));

describe.skipIf(shared === undefined)(
  "official prompt vectors (skipped without a shared/ folder beside the checkout)",
  () => {
    test.each(Object.entries(sections))("%s: no vector fails", async (name, section) => {
      const failures: string[] = [];
      let passed = 0;
      for await (const { name: vector, failure } of section(vectors[name])) {
        if (failure === undefined) passed++;
        else failures.push(`${vector}: ${failure}`);
      }
      expect(failures).toEqual([]);
      expect(passed).toBeGreaterThan(0);
    });
  },
);
