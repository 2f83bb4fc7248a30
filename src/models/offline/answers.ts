import type { Asked } from "./asked.js";
import { choose } from "./choose.js";
import { anyLabel, type LabelOf, oneOf, readEvidence } from "./evidence/index.js";
import { reply } from "./open.js";
import { prefer } from "./prefer.js";
import { rate } from "./rate.js";
import type { Prompt } from "./read-prompt.js";
import { refer } from "./reference.js";
import { entitle } from "./title.js";

/** The possible answers to a prompt's question, with how likely each is. Empty where nothing is asked. */
export function answersTo({ asked, shown }: Prompt): Map<string, number> {
  return asked === undefined ? new Map() : answerers[asked.kind](asked, shown);
}

const read = (shown: string, labelOf: LabelOf) => readEvidence(shown, labelOf);

const answerers: Readonly<Record<Asked["kind"], (asked: Asked, shown: string) => Map<string, number>>> = {
  choice: (asked, shown) => choose(asked.options, asked.query, read(shown, oneOf(asked.options))),
  open: (asked, shown) => reply(asked.query, shown),
  preference: (asked, shown) => prefer(asked.options, asked.query, shown),
  rating: (asked, shown) => rate(asked.options, asked.query, read(shown, oneOf(asked.options))),
  reference: refer,
  title: (asked, shown) => entitle(asked.query, shown, read(shown, anyLabel)),
  rewrite: (asked) => new Map([[asked.query, 1]]),
};
