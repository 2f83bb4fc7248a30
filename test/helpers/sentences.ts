import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../src/", import.meta.url));

export interface Sentence {
  /** Below src/. */
  readonly file: string;
  readonly text: string;
  /** Nothing but an interval, a p or a word or two: what it is of stands elsewhere, so it is known by its file, too. */
  readonly isBare: boolean;
}

/**
 * Every text in what reports and use cases print that goes beyond what was counted; values stand as `…`, and page markup parts
 * sentences. `counted`: texts that look so and say nothing of the kind.
 */
export function inferentialSentences(counted: ReadonlySet<string> = new Set()): Sentence[] {
  return ["report", "app"].flatMap((room) =>
    readdirSync(`${root}${room}`, { recursive: true, encoding: "utf8" })
      .map((name) => `${room}/${name}`)
      .filter((name) => name.endsWith(".ts") && !/script\.js|style\.css/.test(name))
      .flatMap((file) => sentencesIn(file, readFileSync(root + file, "utf8")))
      .filter(({ text }) => !counted.has(text)),
  );
}

/** Those of one source text. */
export function sentencesIn(file: string, source: string): Sentence[] {
  return textsOf(file, source).flatMap((text) => {
    if (text.split(" ").length > 2 && WORDS.test(text)) return [{ file, text, isBare: false }];
    const isBare = (text.match(/[a-z]{2,}/gi) ?? []).length < 3;
    return SHAPES.test(text) ? [{ file, text, isBare }] : [];
  });
}

/** A p, an interval in brackets, `shown`, a comparison of two pasts: of whatever length. */
const SHAPES =
  /\bp (?:…|[<.\d]|over\b)|^p [a-z]+$|(?:^|[\s{])\[…(?:, …)?\]|^\[$|\bshown\b|\([\w-]+ against [\w-]+\)|\bby chance|be chance/i;

/** What tells a sentence that goes beyond what was counted from others. */
const WORDS =
  /95 %|95\\,\\%|Holm|\binterval|significan|at the risk|rule[sd]? out|power|not judged|refuted|unchanged run|users like|noise that|resampl|differs: whether|trend along|possible at|this set|\bpredict(?!ion)|too narrow|as independent|did BETTER|cannot rule|asymptotic|likely/i;

function textsOf(file: string, source: string): string[] {
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    else if (ts.isTemplateExpression(node))
      found.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("…"));
    ts.forEachChild(node, look);
  };
  look(ts.createSourceFile(file, source, ts.ScriptTarget.Latest));
  return found.flatMap((text) => text.split(/\n|<[^>]*>/)).map((text) => text.trim());
}
