import type { UtilitiesNote } from "../../notes/note.js";
import { countOf } from "../../text/count.js";

/** How far the utility of sets is from the sum of their items' (papers/002 A.4, table 5). */
export interface Gaps {
  /** Mean of |U(S) - sum U(i)| / U(S): the paper calls it normalized and does not say by what. */
  readonly subset: number;
  /** Mean over the items behind the first of |U(S_i) - U(S_i-1) - U(i)|, nats. */
  readonly sequential: number;
  /** Chosen sets of two items or more whose parts were scored too. */
  readonly sets: number;
}

/** Of the best set of each question, where it has two items or more and its beginnings and items were scored by themselves. */
export function gapsOf(measured: readonly UtilitiesNote[]): Gaps | undefined {
  const found = measured.flatMap((one) => gapOf(one) ?? []);
  if (found.length === 0) return undefined;
  const mean = (part: "subset" | "sequential"): number => found.reduce((sum, one) => sum + one[part], 0) / found.length;
  return { subset: mean("subset"), sequential: mean("sequential"), sets: found.length };
}

/** In one line. */
export const gapsText = ({ subset, sequential, sets }: Gaps): string =>
  `sets and their items: |U(S) - sum of U(i)| is ${subset.toFixed(3)} of U(S), |step - U(i)| is ${sequential.toFixed(3)} nats; means over ${countOf(sets, "chosen set")} of two items or more`;

function gapOf({ scored, best }: UtilitiesNote): Omit<Gaps, "sets"> | undefined {
  const chosen = scored.find(({ utility }) => utility === best)?.events;
  if (best === null || best <= 0 || chosen === undefined || chosen.length < 2) return undefined;
  const byKey = new Map(scored.map(({ events, utility }) => [keyOf(events), utility]));
  const steps: number[] = [];
  let [sum, before] = [0, 0];
  for (const [at, event] of chosen.entries()) {
    const [alone, together] = [byKey.get(keyOf([event])), byKey.get(keyOf(chosen.slice(0, at + 1)))];
    if (alone === undefined || together === undefined) return undefined;
    if (at > 0) steps.push(Math.abs(together - before - alone));
    sum += alone;
    before = together;
  }
  return {
    subset: Math.abs(best - sum) / best,
    sequential: steps.reduce((all, step) => all + step, 0) / steps.length,
  };
}

const keyOf = (events: readonly string[]): string => JSON.stringify(events); // in the order of the candidates
