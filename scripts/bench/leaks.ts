/** Planted leaks, one data set each: the grade that the audit gives, and what a run does about it. A Markdown table. */
import { leakKinds } from "../../src/data/audit.js";
import { planted } from "./leaks/planted.js";
import { whatARunDoes } from "./leaks/what-a-run-does.js";

export async function main(): Promise<void> {
  console.log("| planted | grade | a run by default | with `history.nearDuplicates=hide` |\n| --- | --- | --- | --- |");
  for (const leak of planted) {
    const { audit, isShown } = await whatARunDoes(leak);
    const hiding = await whatARunDoes(leak, { "history.nearDuplicates": "hide" });
    const grade = audit.found[leak.kind] > 0 ? leakKinds[leak.kind].grade : "not found";
    if (grade === "not found") process.exitCode = 1;
    console.log(`| ${leak.what} | ${grade} | ${told(isShown)} | ${told(hiding.isShown)} |`);
  }
}

const told = (isShown: boolean | undefined): string =>
  isShown === undefined ? "asks it as it is" : isShown ? "shows it" : "hides it";
