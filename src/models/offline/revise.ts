/** A persona (system prompt) and the feedback that asks for a better one. */
interface Revision {
  readonly persona: string;
  readonly feedback: string;
}

/** Reads a request to rewrite a system prompt after feedback; undefined where it is none. */
export function readRevision(text: string): Revision | undefined {
  if (!/\b(?:updat|revis|improv|refin|rewrit)\w*\b/i.test(text)) return undefined;
  const groups = (tagged.exec(text) ?? headed.exec(text))?.groups;
  const { persona, feedback } = groups ?? {};
  if (persona === undefined || feedback === undefined) return undefined;
  return { persona: persona.trim(), feedback: feedback.replace(closing, "").trim() };
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

const tagged =
  /<((?:current_)?(?:system_)?(?:prompt|persona))>(?<persona>[\s\S]*?)<\/\1>[\s\S]*?<((?:aggregated_)?feedback)>(?<feedback>[\s\S]*?)<\/\3>/i;
const headed =
  /current (?:system prompt|persona|prompt)[^:\n]{0,40}:\s*\n?(?<persona>[\s\S]*?)\n[#* \t]*(?:provided |aggregated |the )*feedback[^:\n]{0,60}:\s*\n?(?<feedback>[\s\S]*)$/i;

/** The instruction that may follow the feedback. */
const closing = /\n\s*\n(?:Write|Output|Reply|Now|Return|Updated|Improved|Give)[\s\S]*$/;

function takeRule(line: string, rules: Map<string, Set<string>>): boolean {
  const match = /when the text mentions (.*?),? the user would answer "([^"]+)"/i.exec(line);
  if (match === null) return false;
  const words = rules.get(match[2] ?? "") ?? new Set<string>();
  for (const word of (match[1] ?? "").split(/,\s*/)) {
    words.delete(word);
    words.add(word);
  }
  rules.set(match[2] ?? "", words);
  return true;
}
