/**
 * Writes src/report/html/script.js.ts: the script of the HTML report, from src/report/html/browser/, as a text that the package carries.
 * `npm run page-script` after every change there; a test fails while the two differ.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import ts from "typescript";

const repository = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const browser = join(repository, "src/report/html/browser");
export const scriptModule = join(repository, "src/report/html/script.js.ts");

/** The module's text: all files of src/report/html/browser/ that main.ts needs, without types, imports and exports, in one function. */
export function renderScriptModule(): string {
  const files: string[] = [];
  visit("main.ts", files);
  const script = `"use strict";(() => {\n${files.map(plainScript).join("")}})();\n`;
  new Script(script); // two files may not declare the same name
  const lines = script.trimEnd().split("\n");
  return [
    "// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are lines of a script",
    "// biome-ignore-all format: one string a line of the script",
    "/** The page's script: made from src/report/html/browser/ by scripts/page-script.ts; never edited by hand. */",
    "export const pageScript = [",
    ...lines.map((line) => `  ${JSON.stringify(line)},`),
    '].join("\\n");',
    "",
  ].join("\n");
}

// --- internal ---

/** Files in the order that they need each other. */
function visit(name: string, files: string[]): void {
  if (files.includes(name)) return;
  const text = readFileSync(join(browser, name), "utf8");
  for (const [, needed] of text.matchAll(/^(?:import|export) (?!type).*? from "\.\/([\w-]+)\.js";$/gms))
    visit(`${needed}.ts`, files);
  files.push(name);
}

function plainScript(name: string): string {
  const { outputText } = ts.transpileModule(readFileSync(join(browser, name), "utf8"), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, removeComments: true },
  });
  return outputText
    .replaceAll(/^import [^;]*;\n/gm, "")
    .replaceAll(/^export (?=const|function|async|class)/gm, "")
    .replaceAll(/^export \{\};\n/gm, "")
    .replaceAll(/^ +/gm, (blanks) => " ".repeat(blanks.length / 4));
}

if (argv[1] === fileURLToPath(import.meta.url)) writeFileSync(scriptModule, renderScriptModule());
