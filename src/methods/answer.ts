import type { Kit } from "../types.js";

/** Asks the question's one answer call with one user message and returns the reply as it is. No system prompt where it is empty. */
export async function answer(kit: Kit, content: string, system = ""): Promise<string> {
  const { text } = await kit.ask("answer", {
    ...(system === "" ? {} : { system }),
    messages: [{ role: "user", content }],
  });
  return text;
}
