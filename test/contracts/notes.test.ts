import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const source = new URL("../../src/", import.meta.url);

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({
    name: name.replaceAll("\\", "/"),
    code: readFileSync(fileURLToPath(new URL(name.replaceAll("\\", "/"), source)), "utf8"),
  }));
const codeOf = (name: string): string => files.find((file) => file.name === name)!.code; // a file of the tree

/** The kinds that have a form. */
const kinds = [...bodyOf(codeOf("notes/note.ts"), "const forms").matchAll(/^ {2}"?([\w-]+)"?: /gm)].map(
  ([, kind = ""]) => kind,
);

test("a note of each kind is written in one place", () => {
  expect(kinds.length).toBeGreaterThan(15);
  const writers = files.flatMap(({ name, code }) =>
    [...code.matchAll(/(?:\bnote\(|\bnotes: \[)\s*\{\s*kind: "([\w-]+)"/g)].map(([, kind = ""]) => ({ kind, name })),
  );
  const count = (kind: string): number => writers.filter((writer) => writer.kind === kind).length;
  expect(Object.fromEntries(kinds.map((kind) => [kind, count(kind)]))).toEqual(
    Object.fromEntries(kinds.map((kind) => [kind, 1])),
  );
  expect(writers.filter(({ kind }) => !kinds.includes(kind))).toEqual([]);
});

test("stored notes are read in one place", () => {
  const byHand = files.filter(
    ({ name, code }) => !name.startsWith("notes/") && /\bnote\.data\b/.test(code) && !/\breadNote\b/.test(code),
  );
  expect(byHand.map(({ name }) => name)).toEqual([]);
});

/** What stands from a declaration to its closing brace. */
function bodyOf(code: string, declaration: string): string {
  const start = code.indexOf(declaration);
  return code.slice(start, code.indexOf("\n}", start));
}
