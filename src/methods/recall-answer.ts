import type { Answerer, Kit, User } from "../types.js";
import { answer } from "./answer.js";
import { assembleSettings, type RetrievalOptions, styleOf } from "./retrieval-options.js";
import { indexHistory } from "./retrieve.js";

/**
 * Answers with the `k` best matching events of the user in the official prompt, behind `prefix` where one is given.
 * In prequential mode what can be retrieved grows; the prefix stays.
 */
export async function recallAnswerer(
  user: User,
  { k, prefix = "" }: { readonly k: number; readonly prefix?: string },
  options: RetrievalOptions,
  unitKit: Kit,
): Promise<Answerer> {
  const style = styleOf(unitKit.task, options);
  const settings = assembleSettings(options, prefix);
  let known = user.history.length;
  const recall = await indexHistory(user.history, options["rag.retriever"], style, unitKit);
  const answerer: Answerer = async (question, kit) => {
    if (known === 0) kit.count("fallback=prompt");
    const events = await recall(question, k);
    kit.note({ kind: "retrieved", data: events.map(({ id }) => id) });
    return answer(kit, style.assemble(question, events, settings));
  };
  answerer.learn = async (event, kit) => {
    known++;
    await recall.add(event, kit);
  };
  return answerer;
}
