import { englishStopWords } from "../../text/tokens.js";
import type { TaskBrief } from "../../types/index.js";
import {
  baseBlock,
  communitiesBlock,
  conceptsLine,
  globalBlock,
  type Mode,
  ownBlock,
  type PromptParts,
  preferencesLine,
  sizeLine,
} from "./blocks.js";
import { hasBlock } from "./options.js";

/** The method as PersonaAgent with GraphRAG describes it. Ends with the question as the benchmark asks it, so that its answer form holds. */
export const communityMode: Mode = {
  tfIdf: { stopWords: englishStopWords },
  communities: true,
  reusesContext: false,
  remarks: () => [],
  request: (parts, { task }) => ({ messages: [{ role: "user", content: content(parts, task) }] }),
  answer: (reply) => reply,
};

function content(parts: PromptParts, task: TaskBrief): string {
  const { question, options } = parts;
  const [global, communities, persona] = (["global", "communities", "persona"] as const).map((block) =>
    hasBlock(block, options),
  );
  const facts = [
    ...(persona ? [preferencesLine(parts, task)] : []),
    ...(communities ? [conceptsLine(parts)] : []),
    ...(persona ? [sizeLine(parts), ...(parts.summary === "" ? [] : [`About this user: ${parts.summary}`])] : []),
  ].filter((line) => line !== undefined);
  return [
    baseBlock(task, question.content, (labels) => labels),
    ownBlock(parts, task),
    ...(global ? [globalBlock(parts, task)] : []),
    ...(communities ? [communitiesBlock(parts, task)] : []),
    ...(facts.length === 0 ? [] : [facts.join("\n")]),
    guidance(task, { global: global === true, communities: communities === true }),
    `Now answer as this user would:\n${question.text}`,
  ].join("\n\n");
}

function guidance({ itemNoun }: TaskBrief, shown: { global: boolean; communities: boolean }): string {
  return [
    "How to use this:",
    `- HIGH similarity weighs most; consider MEDIUM; LOW is weak support.`,
    ...(shown.global
      ? [`- Where one of this user's and one of another user's are about equally similar, follow this user's.`]
      : []),
    ...(shown.global
      ? [`- Where this user's own are less similar, others' show what the ${itemNoun} is really about.`]
      : []),
    ...(shown.communities ? ["- Communities are background: they tell what such topics usually are."] : []),
  ].join("\n");
}
