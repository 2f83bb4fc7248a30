import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), "utf8");
const readme = textOf("README.md");
/**
 * Each number in the sentences of the README, with the words around it, and what says it: a block in it that `npm run readme` prints, a
 * constant of the program, the page of the first run, or a file. Years, versions of licences and ids of papers stand in links and names.
 */
const sources: readonly (readonly [sentence: string, holds: boolean])[] = [
  ["Node >= 20.19", textOf("package.json").includes('"node": ">=20.19"')],
  ["what 20 users foretell", textOf("src/app/run/settings.ts").includes("PILOT_USERS = 20")],
  ["that gain is 3 hits", blockOf("reproduce personaagent/T3").includes("makes the 3 more hits that PersonaAgent")],
  [
    "(at 246, which fit too, 6 hits could be",
    /N=246, which fits too, they are 6, and p goes down to \.0[0-4]/.test(blockOf("reproduce")),
  ],
  ["of 123 questions", blockOf("reproduce").includes("N=123 (smallest that fits")],
  ["Intervals are 95 %", blockOf("run --task").includes("[95 %]")],
  ["is table 3 of the first", readme.includes("`personaagent/T3` is table 3 of the first")],
  ["as the paper's table 2 has them", readme.includes("`--preset personaagent-t2`")],
  ["a dash below 10 users", textOf("docs/STATISTICS.md").includes("Below 10 users")],
];

test("each number in the README's sentences is one that a command, a file or the program says", () => {
  expect(sources.filter(([, holds]) => !holds)).toEqual([]);
  const prose = proseOf(readme);
  expect(sources.filter(([sentence]) => !prose.includes(sentence))).toEqual([]);
  const rest = sources.reduce((text, [sentence]) => text.replaceAll(sentence, ""), prose);
  expect([...rest.matchAll(/.{0,40}(?<![\w.-])\d[\d.,]*.{0,20}/g)].map(([found]) => found)).toEqual([]);
});

/** What a block of the README shows that a command prints. */
function blockOf(command: string): string {
  return readme.split(`<!-- block: npx lamp-eval ${command}`)[1]?.split("<!-- end -->")[0] ?? "";
}

/** Sentences, without code, links' addresses and names, the table of methods and names of licences. */
function proseOf(text: string): string {
  return text
    .replaceAll(/```[\s\S]*?```/g, "")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/^\|.*$/gm, "")
    .replaceAll(/\[(?:ACL|arXiv) \d{4}\]\([^)]*\)/g, "")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll("CC BY-NC-SA 4.0", "")
    .replace(/`npm ci` took \d+ s, the tables \d+ s/, "") // readme.test.ts holds these to docs/FIRST-RUN.md
    .replaceAll(/`[^`]*`/g, "")
    .replaceAll(/\s+/g, " ");
}
