import { pyStrip } from "./python.js";
import { taggedBlocks } from "./scan.js";

/** Marks of reasoning beside `<think>`, as chat templates of models write them: beginning, end. */
const MARKS: readonly (readonly [string, string])[] = [
  ["[THINK]", "[/THINK]"], // Mistral: Magistral
  ["<seed:think>", "</seed:think>"], // ByteDance: Seed-OSS
  ["<longcat_think>", "</longcat_think>"], // Meituan: LongCat-Flash-Thinking
  ["<thought>", "</thought>"], // LG: EXAONE Deep; Gemini's OpenAI endpoint
  ["◁think▷", "◁/think▷"], // Moonshot: Kimi-VL-Thinking
  ["<|START_THINKING|>", "<|END_THINKING|>"], // Cohere: Command A Reasoning
  ["<|begin_of_thought|>", "<|end_of_thought|>"], // NovaSky: Sky-T1; OpenThinker
  ["<unused94>thought", "<unused95>"], // Google: MedGemma
  ["<|channel>thought", "<channel|>"], // Google: Gemma 4
];
/** Marks around the answer of the same templates. */
const AROUND_ANSWER = /<\|(?:START_RESPONSE|END_RESPONSE|begin_of_solution|end_of_solution)\|>/g;

/**
 * The reply without reasoning written into the text, stripped of outer blanks when some was found: `<think>...</think>` and the
 * other marks, open ends included, and of gpt-oss's Harmony format everything but the final channel.
 */
export function stripReasoning(text: string): string {
  const rest = withoutThoughts(asThink(finalChannel(text)));
  return rest === text ? text : pyStrip(rest);
}

/** Writes all marks as `<think>`. */
function asThink(text: string): string {
  let same = text;
  for (const [start, end] of MARKS) same = same.replaceAll(start, "<think>").replaceAll(end, "</think>");
  return same === text ? text : same.replaceAll(AROUND_ANSWER, "");
}

const NAMES = "think|thinking|reasoning";
const TAG = new RegExp(`<(/?)(?:${NAMES})>`, "gi");

/**
 * Without the blocks, then without what stands before a lone end (chat templates of DeepSeek-R1 and QwQ open the block in the
 * prompt) or behind a lone beginning (a reply cut inside its reasoning has no answer).
 */
function withoutThoughts(text: string): string {
  let kept = "";
  let from = 0;
  for (const { start, end } of taggedBlocks(text, NAMES)) {
    kept += text.slice(from, start);
    from = end;
  }
  kept += text.slice(from);
  const lone = [...kept.matchAll(TAG)];
  const lastEnd = lone.findLast(([, slash]) => slash !== "");
  const answer = lastEnd === undefined ? 0 : lastEnd.index + lastEnd[0].length;
  return kept.slice(answer, lone.find(({ index }) => index >= answer)?.index);
}

const CHANNEL = "<|channel|>";
const MESSAGE = "<|message|>";

/**
 * The last message of the final channel; where there is none, what stands before the first channel: nothing, as a rule.
 * Source: https://cookbook.openai.com/articles/openai-harmony
 */
function finalChannel(text: string): string {
  if (!text.includes(CHANNEL) || !text.includes(MESSAGE)) return text;
  const [before = "", ...channels] = text.split(CHANNEL);
  const final = channels.findLast((channel) => /^\s*final\b/.test(channel) && channel.includes(MESSAGE));
  const said = final === undefined ? before : final.slice(final.indexOf(MESSAGE) + MESSAGE.length);
  return said.split(/<\|(?:end|return|call|start)\|>/, 1)[0] ?? "";
}
