import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { commandsPage } from "../../scripts/commands/page.js";
import { commandNames } from "../../src/commands/commands.js";
import { exitCodes } from "../../src/commands/exit-code.js";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const page = readFileSync(join(root, "docs", "COMMANDS.md"), "utf8");
const fresh = sectionsOf(await commandsPage());
const written = sectionsOf(page);

describe("docs/COMMANDS.md", () => {
  test("has at most 19 commands", () => {
    expect(commandNames.length).toBeLessThanOrEqual(19);
  });

  test("has every command, and no other", () => {
    expect([...fresh.keys()]).toContain("data prepare");
    expect([...written.keys()]).toEqual([...fresh.keys()]);
  });

  test.each([...fresh.keys()])("names every flag of %s", (command) => {
    const flags = flagsOf(fresh.get(command) ?? "");
    expect(flags).toContain("--help");
    expect(flagsOf(written.get(command) ?? "")).toEqual(flags);
  });

  test("says what the program says (npx tsx scripts/commands.ts writes it again)", () =>
    expect([...written]).toEqual([...fresh]));
});

/** The text under each heading that names a command. */
function sectionsOf(text: string): Map<string, string> {
  const [, ...sections] = text.split(/^##+ /m);
  return new Map(
    sections.map((section) => [section.slice(0, section.indexOf("\n")), section.slice(section.indexOf("\n")).trim()]),
  );
}

/** Long flags at the beginning of a line of help, in order. */
function flagsOf(help: string): string[] {
  return [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z][a-z-]*)/gm)].map(([, flag = ""]) => flag);
}

test("docs/EXIT-CODES.md has a line for every exit code", () => {
  const codes = Object.values(exitCodes).flatMap((code) => (typeof code === "number" ? [code] : Object.values(code)));
  const page = readFileSync(join(root, "docs", "EXIT-CODES.md"), "utf8");
  expect(codes.filter((code) => !page.includes(`\n| ${code} | `))).toEqual([]);
});
