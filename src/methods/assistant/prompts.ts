import type { Turn } from "../../types/index.js";

/** A line of a dialogue. */
export interface Line {
  readonly speaker: "User" | "Assistant";
  readonly text: string;
}

/** Returns the lines of a turn, in order. */
export const linesOf = ({ said, reply }: Pick<Turn, "said" | "reply">): Line[] => [
  { speaker: "User", text: said },
  ...(reply === undefined ? [] : [{ speaker: "Assistant" as const, text: reply }]),
];

/** Returns the system prompts of the assistant paper (section 3.3, listing 1) in our words. Parts that are empty are left out. */
export function assistantSystem(facts: readonly string[], lines: readonly Line[]): string {
  const known = `What you know of the user:\n${facts.map((fact) => `- ${fact}`).join("\n")}`;
  return joined(
    "You are the personal assistant of one user. Use what you know of this user where it bears on what is asked.",
    ...(facts.length === 0 ? [] : [known]),
    ...saidBefore(lines),
  );
}

/** The system prompt of an assistant that remembers these lines and nothing else. */
export const bufferSystem = (lines: readonly Line[]): string => joined(STATELESS_SYSTEM, ...saidBefore(lines));

export const STATELESS_SYSTEM = "You are a helpful assistant.";

const saidBefore = (lines: readonly Line[]): string[] =>
  lines.length === 0
    ? []
    : [`What was said before:\n${lines.map(({ speaker, text }) => `${speaker}: ${text}`).join("\n")}`];

const joined = (...parts: readonly string[]): string => parts.join("\n\n");
