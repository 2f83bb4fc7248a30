import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { paperNamed } from "../../../src/commands/reproduce.js";
import { sharedDir } from "../../helpers/shared.js";

const shared = sharedDir();

/** `T12`, `Fig26`: of every caption of a paper's text, and of figures that it names as a range. */
function captionsOf(text: string): string[] {
  const found = [...text.matchAll(/^[\s\d*]*(Table|Figure|Fig\.) (\d+)[.:]/gm)].map(([, kind, number]) => [
    kind,
    number,
  ]);
  const named = [...text.matchAll(/(Table|Figure) (\d+) through \1 (\d+)/g)].flatMap(([, kind, from, to]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => [kind, String(Number(from) + i)]),
  );
  return [...new Set([...found, ...named].map(([kind, number]) => `${kind === "Table" ? "T" : "Fig"}${number}`))];
}

/** What the names of parts stand for: `Fig12-15` for four figures, `Fig2a` for figure 2. */
const coveredBy = (names: readonly string[]): Set<string> =>
  new Set(
    names.flatMap((name) => {
      const [, kind, from, to] = /\/(T|Fig)(\d+)[a-z]?(?:-(\d+))?$/.exec(name) ?? [];
      if (kind === undefined) return [];
      const [first, last] = [Number(from), Number(to ?? from)];
      return Array.from({ length: last - first + 1 }, (_, i) => `${kind}${first + i}`);
    }),
  );

describe.skipIf(shared === undefined)(
  "captions of the papers in shared/papers beside the checkout (skipped where it is absent)",
  () => {
    // PersonaMem's numbers stand in issues of its repository, not in a paper at hand.
    const atHand = ["personaagent", "personaagent-graphrag", "rums", "sage", "assistant"];
    test.each(atHand.map((id, number) => [id, number, paperNamed(id, ".")] as const))(
      "of %s are each listed as made, partly or not",
      (id, number, { tables, absent }) => {
        const folder = join(shared ?? "", "papers");
        const file = readdirSync(folder).find((one) => one.startsWith(`00${number}`)) ?? "";
        const captions = captionsOf(readFileSync(join(folder, file), "utf8"));
        const covered = coveredBy([
          ...tables.map(({ name }) => name),
          ...Object.keys(absent).map((name) => `${id}/${name}`),
        ]);
        expect(captions.length).toBeGreaterThan(0);
        expect(captions.filter((caption) => !covered.has(caption))).toEqual([]);
        expect([...covered].filter((caption) => !captions.includes(caption))).toEqual([]);
      },
    );
  },
);
