import { CHARACTERS_PER_TOKEN } from "../models/tokens.js";
import { pyStrip } from "../text/python.js";
import { trimSigns } from "../text/scan.js";

/** A persona shorter than this is no system prompt (METHODS 7.4). */
const MIN_CHARS = 40;

export type PersonaReading =
  | { readonly kind: "persona"; readonly text: string }
  | { readonly kind: "unusable"; readonly reason: "empty" | "too short" | "too long" };

/**
 * The new persona in a model's reply: without a preamble line ("Here is the updated prompt:"), code fences and
 * wrapping quotes; the rest, braces and backticks included, is left as it is. `maxTokens` at 4 characters a token.
 */
export function readPersona(reply: string, maxTokens: number): PersonaReading {
  const text = withoutQuotes(withoutWrapping(pyStrip(reply)));
  if (text === "") return { kind: "unusable", reason: "empty" };
  if (text.length < MIN_CHARS) return { kind: "unusable", reason: "too short" };
  if (text.length > maxTokens * CHARACTERS_PER_TOKEN) return { kind: "unusable", reason: "too long" };
  return { kind: "persona", text };
}

/** The rules for tools of every persona (PersonaAgent appendix C, in our words). */
const TOOL_RULES = [
  "STRICT RULES for using tools:",
  "1. Think step by step about what information you need.",
  "2. You MUST use at least TWO tools to answer the question.",
  "3. Use every tool precisely and deliberately, and get the most accurate information from different tools.",
  "4. Answer clearly and concisely. Give NO explanation in the final answer.",
];

/** The same for an agent that has one tool. */
const RULES_OF_ONE_TOOL = [
  "STRICT RULES for using the tool:",
  TOOL_RULES[1],
  "2. You MUST use the tool to answer the question.",
  "3. Use it precisely and deliberately, more than once where that helps.",
  TOOL_RULES[4],
];

const RULES_WITHOUT_TOOLS = [
  "STRICT RULES:",
  TOOL_RULES[1],
  "2. Answer clearly and concisely. Give NO explanation in the final answer.",
];

/** Returns the rules that fit so many tools; those of two are the paper's. */
export const toolRules = (tools: number): string =>
  [RULES_WITHOUT_TOOLS, RULES_OF_ONE_TOOL, TOOL_RULES][Math.min(tools, 2)]!.join("\n");

/** Returns the persona before alignment (METHODS 7.2). Joined, never filled into a template: summaries hold braces. */
export function initialPersona(userSummary: string, tools = 2): string {
  const task =
    tools === 0
      ? "Infer the user's preference and answer the question."
      : "Take more than two actions to infer the user's preference and answer the question.";
  return [
    `You are a helpful personalized assistant. ${task}`,
    `User summary: ${userSummary === "" ? "not available" : userSummary}`,
    "",
    toolRules(tools),
  ].join("\n");
}

/** A first line that announces the prompt; a persona itself may well begin with "Here". */
const PREAMBLE =
  /^(?:(?:sure|certainly|of course|here it is|here you go)\b[^\n]{0,200}|(?:here|below|this|the|updated|revised|new)\b[^\n]{0,150}\b(?:prompt|persona|version)\b[^\n]{0,50})[:!][*_ ]*$/i;
const LONGEST_PREAMBLE = 500;

function withoutWrapping(text: string): string {
  const [first = ""] = text.split("\n", 1);
  const isAnnounced = first.length <= LONGEST_PREAMBLE && PREAMBLE.test(first);
  return withoutFence(isAnnounced ? pyStrip(text.slice(first.length)) : text, isAnnounced);
}

/** Removes the code fence around the whole text; behind an announced prompt a remark may follow the fence. */
function withoutFence(text: string, remarkMayFollow: boolean): string {
  const fence = text.slice(0, 3);
  const opening = text.indexOf("\n");
  if ((fence !== "```" && fence !== "~~~") || opening < 0) return text;
  const body = text.slice(opening + 1);
  if (!remarkMayFollow) return body.endsWith(fence) ? pyStrip(trimSigns(body, "", fence)) : text;
  const end = body.lastIndexOf(`\n${fence}`);
  const [closing = ""] = body.slice(end + 1).split("\n", 1);
  return end < 0 || trimSigns(closing, fence, " \t") !== "" ? text : pyStrip(body.slice(0, end));
}

const QUOTES: readonly (readonly [string, string])[] = [
  ['"""', '"""'],
  ['"', '"'],
  ["'", "'"],
  ["\u201c", "\u201d"],
];

function withoutQuotes(text: string): string {
  for (const [open, close] of QUOTES) {
    const inner = text.slice(open.length, -close.length);
    if (text.length > open.length + close.length && text.startsWith(open) && text.endsWith(close))
      return inner.includes(close) ? text : pyStrip(inner);
  }
  return text;
}
