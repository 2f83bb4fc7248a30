import { between, taggedBlocks } from "../../text/scan.js";

/** A persona (system prompt) and the feedback that asks for a better one. */
interface Revision {
  readonly persona: string;
  readonly feedback: string;
}

/** Reads a request to rewrite a system prompt after feedback; undefined where it is none. */
export function readRevision(text: string): Revision | undefined {
  if (!/\b(?:updat|revis|improv|refin|rewrit)\w*\b/i.test(text)) return undefined;
  const revision = tagged(text) ?? headed(text);
  if (revision === undefined) return undefined;
  return { persona: revision.persona.trim(), feedback: revision.feedback.replace(closing, "").trim() };
}

/** The persona with what the feedback teaches merged in: rules of one answer become one rule, the newest words last. */
export function revise({ persona, feedback }: Revision): string {
  const rules = new Map<string, Set<string>>();
  const kept: string[] = [];
  for (const line of persona.split("\n")) if (!takeRule(line, rules) && line !== learned) kept.push(line);
  for (const line of feedback.split("\n")) takeRule(line, rules);
  const written = [...rules].map(
    ([answer, words]) =>
      `When the text mentions ${[...words].slice(-mostWords).join(", ")} the user would answer "${answer}".`,
  );
  return [kept.join("\n").trim(), ...(written.length === 0 ? [] : [learned, ...written])].join("\n");
}

/** Words kept for one answer, so that a persona does not grow without end. */
const mostWords = 30;
const learned = "What this user's own choices show:";

function tagged(text: string): Revision | undefined {
  const [persona] = taggedBlocks(text, "(?:current_)?(?:system_)?(?:prompt|persona)");
  if (persona === undefined) return undefined;
  const [feedback] = taggedBlocks(text.slice(persona.end), "(?:aggregated_)?feedback");
  return feedback && { persona: persona.inner, feedback: feedback.inner };
}

function headed(text: string): Revision | undefined {
  const found = between(text, [
    /current (?:system prompt|persona|prompt)[^:\n]{0,40}:/gi,
    /\n[#* \t]*(?:provided |aggregated |the )*feedback[^:\n]{0,60}:\s*/gi,
  ]);
  return found && { persona: found.parts[0] ?? "", feedback: text.slice(found.end) };
}

/** The instruction that may follow the feedback. */
const closing = /\n[^\S\n]*\n(?:Write|Output|Reply|Now|Return|Updated|Improved|Give)[\s\S]*$/;

function takeRule(line: string, rules: Map<string, Set<string>>): boolean {
  const [mentioned, answer] =
    between(line, [/when the text mentions /gi, /,? the user would answer "(?=[^"])/gi, '"'])?.parts ?? [];
  if (mentioned === undefined || answer === undefined) return false;
  const words = rules.get(answer) ?? new Set<string>();
  for (const word of mentioned.split(/,\s*/)) {
    words.delete(word);
    words.add(word);
  }
  rules.set(answer, words);
  return true;
}
