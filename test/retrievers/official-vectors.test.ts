import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { sections } from "../../scripts/conformance/retrieval.js";
import { sharedDir } from "../helpers/shared.js";

const shared = sharedDir();

it.skipIf(shared === undefined).each(["bm25", "argsort"])(
  "agrees with every official vector of section %s (needs the shared folder beside the checkout)",
  async (name) => {
    const file = JSON.parse(await readFile(path.join(shared!, "oracle", "metrics.json"), "utf8")) as Record<
      string,
      unknown
    >;
    const failures: string[] = [];
    let count = 0;
    for await (const outcome of sections[name]!(file[name])) {
      count++;
      if (outcome.failure !== undefined) failures.push(`${outcome.name}: ${outcome.failure}`);
    }
    expect(failures).toEqual([]);
    expect(count).toBeGreaterThan(50);
  },
);
