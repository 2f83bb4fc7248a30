import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../src/", import.meta.url));

/** What tells a sentence that goes beyond what was counted from others. */
const INFERS =
  /95 %|95\\,\\%|Holm|\binterval|significan|at the risk|rule[sd]? out|power|not judged|refuted|unchanged run|users like|noise that|resampl|differs: whether|trend along|possible at|this set|\bpredict|too narrow|as independent|did BETTER|cannot rule/i;

/** Every such text in what reports, gates and plans print, by file; values stand as `…`, and page markup parts sentences. */
export function inferentialSentences(): { readonly file: string; readonly text: string }[] {
  const files = readdirSync(`${root}report`, { recursive: true, encoding: "utf8" }).map((name) => `report/${name}`);
  return [...files, "app/run/estimate-text.ts"]
    .filter((name) => name.endsWith(".ts") && !/script\.js|style\.css|verify\//.test(name))
    .flatMap((file) => textsOf(file).map((text) => ({ file, text })))
    .filter(({ text }) => INFERS.test(text) && text.split(" ").length > 2);
}

// --- internal ---

function textsOf(file: string): string[] {
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    else if (ts.isTemplateExpression(node))
      found.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…"));
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile(file, readFileSync(root + file, "utf8"), ts.ScriptTarget.Latest));
  return found.flatMap((text) => text.split(/\n|<[^>]*>/)).map((text) => text.trim());
}
