import type { Kit } from "../types.js";

/**
 * Asks the question's one answer call with one user message and returns the reply without reasoning written into its text.
 * No system prompt where it is empty. A reply that was refused or cut at its token limit is counted.
 */
export async function answer(kit: Kit, content: string, system = ""): Promise<string> {
  const { text, stop } = await kit.ask("answer", {
    ...(system === "" ? {} : { system }),
    messages: [{ role: "user", content }],
  });
  if (stop === "length") kit.count("answer-cut");
  if (stop === "refusal") kit.count("answer-refused");
  const answer = text;
  if (answer === "") kit.count("answer-empty");
  return answer;
}
