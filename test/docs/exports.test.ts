import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as library from "../../src/index.js";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

test("all that a program can import is named in docs/EXTENDING.md, each kind of option too", () => {
  const named = new Set(read("docs/EXTENDING.md").match(/\w+/g));
  const names = [...Object.keys(library), ...Object.keys(library.option)];
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !named.has(name))).toEqual([]);
});

test("of the types only those leave that functions and things of a plug-in speak of, each by name", () => {
  const index = read("src/index.ts");
  expect(index).not.toMatch(/export (type )?\*/);
  const chosen = /export type \{([^}]*)\} from "\.\/types\/index\.js"/.exec(index)![1]!.match(/\w+/g)!;
  const spoken = spokenOf();
  expect(chosen.filter((name) => !spoken.has(name))).toEqual([]);
});

/** What the kinds of things, and the files that `src/index.ts` exports from, name of the vocabulary, and what that is made of. */
function spokenOf(): ReadonlySet<string> {
  const files = [...readdirSync("src/types").map((name) => `src/types/${name}`), "src/notes/note.ts"];
  const bodies = new Map(
    files.flatMap((path) => {
      const parts = withoutComments(read(path)).split(/^export (?:type|interface) (\w+)/m);
      return parts.flatMap((name, i): [string, string][] => (i % 2 === 1 ? [[name, parts[i + 1] ?? ""]] : []));
    }),
  );
  const doors = [...read("src/index.ts").matchAll(/from "\.\/([\w/-]+)\.js"/g)].map(([, name]) => `src/${name}.ts`);
  const used = doors
    .filter((path) => path !== "src/types/index.ts")
    .flatMap((path) => [...read(path).matchAll(/import type \{([^}]*)\} from "[./]*types\/index\.js"/g)])
    .flatMap(([, names = ""]) => names.match(/\w+/g) ?? []);
  const found = new Set<string>();
  const open = [...used];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...(bodies.get(name)?.match(/\b[A-Z]\w+\b/g) ?? []));
  }
  return found;
}

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
