import type { Kit } from "../../types.js";
import type { RumsOptions } from "./options.js";

/** What a model was seen to tell of its probabilities. */
export interface Told {
  /** Alternatives that came back at a token; 0: no logprobs at all. */
  readonly alternatives: number;
}

/**
 * Asks the reference model once, for all users of a cell, whether logprobs really come back and how many. What is missing is
 * said and counted, never read as certainty.
 */
export function probeLogprobs(options: RumsOptions, kit: Kit): Promise<Told> {
  const wanted = options["rums.logprobs"];
  return kit.shared(`logprobs/${kit.models.reference.id}/${wanted}`, async (cell) => {
    const { id, capabilities } = cell.models.reference;
    const alternatives = capabilities.logprobs ? await alternativesOf(wanted, cell) : 0;
    cell.note({ kind: "custom", data: { name: "logprobs", data: { model: id, asked: wanted, got: alternatives } } });
    if (alternatives === 0) cell.count("logprobs-none");
    else if (alternatives < wanted) cell.count(`logprobs-at-most=${alternatives}`);
    return { alternatives };
  });
}

/** With as many answers as a chat model tells alternatives, each with a beginning of its own. */
const QUESTION =
  "Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. tags: [action, biography, comedy, drama, epic, fantasy, ghosts, horror, indie, journey, kids, love, mystery, noir, opera, politics, quiz, romance, sports, travel] description: a story";

async function alternativesOf(wanted: number, kit: Kit): Promise<number> {
  const reply = await kit.ask("select", {
    of: "reference",
    messages: [{ role: "user", content: QUESTION }],
    maxTokens: 1,
    logprobs: wanted,
  });
  return reply.logprobs?.[0]?.top.length ?? 0;
}
