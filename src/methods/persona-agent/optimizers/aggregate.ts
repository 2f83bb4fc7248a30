import type { Kit } from "../../../types.js";
import { askText } from "../ask-text.js";
import { GRADIENT_TOKENS } from "./gradients.js";
import type { OptimizerOptions } from "./optimizer.js";

/** Several feedback texts as one, in batch order (`align.reduce`): a numbered list, or merged by one more call. */
export async function aggregate(texts: readonly string[], options: OptimizerOptions, kit: Kit): Promise<string> {
  const [only] = texts;
  if (only !== undefined && texts.length === 1) return only;
  const list = texts.map((text, index) => `${index + 1}. ${text}`).join("\n\n");
  if (options["align.reduce"] === "concat") return list;
  const merged = await askText(kit, "update", MERGE + list, { maxTokens: GRADIENT_TOKENS });
  if (merged === "") kit.count("feedback-merge-empty");
  return merged === "" ? list : merged;
}

/** Calls that `aggregate` makes for so many texts. */
export const aggregateCalls = (texts: number, options: OptimizerOptions): number =>
  options["align.reduce"] === "llm" && texts > 1 ? 1 : 0;

const MERGE =
  "Several reviewers looked at the same system prompt and commented on it. Merge their comments into one text: say once what several of them say, keep what only one of them says, and drop nothing that is particular to the user. Reply with the merged comments alone.\n\nComments:\n";
