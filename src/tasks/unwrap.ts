import { pyStrip } from "../text/python.js";

/** Takes off what chat models wrap answers in: `Final Answer:`, code fences, quotes, emphasis, a trailing period. Source: METHODS 0.3. */
export function unwrap(reply: string): string {
  const final = /^.*\bfinal answer\s*(?:is\s*)?:/is.exec(reply);
  let text = pyStrip(final === null ? reply : reply.slice(final[0].length));
  text = pyStrip(text.replace(/^```[a-z]*\s*\n?/i, "").replace(/\n?```$/, ""));
  for (let bare = peel(text); bare !== text; bare = peel(text)) text = bare;
  return text;
}

/** The first line that is not blank, unwrapped. */
export function firstLine(reply: string): string {
  return unwrap(pyStrip(unwrap(reply)).split("\n")[0] ?? "");
}

const PAIRS = ['""', "''", "``", "“”", "‘’", "«»", "**", "__"];

/** One layer less. */
function peel(text: string): string {
  const first = text.slice(0, 1);
  const last = text.slice(-1);
  if (text.length > 1 && PAIRS.includes(first + last)) return pyStrip(text.slice(1, -1));
  return text.endsWith(".") && !text.endsWith("..") ? pyStrip(text.slice(0, -1)) : text;
}
