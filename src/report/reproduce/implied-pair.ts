import { mcNemar } from "../../results/binomial.js";
import { isSignificant } from "../../results/inference.js";

/**
 * What two numbers of right answers on the same questions allow McNemar's test to say, whatever questions they were.
 * `depends`: some pairings are significant at .05 and some are not.
 */
export interface ImpliedPair {
  /** Hits of the better arm minus hits of the other. */
  readonly gap: number;
  /** Fewest and most questions on which the arms can disagree. */
  readonly discordant: { readonly least: number; readonly most: number };
  readonly smallestP: number;
  readonly largestP: number;
  readonly significant: "never" | "depends" | "always";
  /** `depends`: significant up to so many discordant questions. */
  readonly upTo: number | undefined;
}

/**
 * Goes through every number of questions on which both can be right: max(0, a + b - count) to min(a, b), so that the
 * discordant ones run from |a - b| to min(a + b, 2 count - a - b) in steps of two.
 */
export function impliedPair(hitsA: number, hitsB: number, count: number): ImpliedPair {
  const gap = Math.abs(hitsA - hitsB);
  const discordant = { least: gap, most: Math.min(hitsA + hitsB, 2 * count - hitsA - hitsB) };
  let [smallestP, largestP] = [1, 0];
  let upTo: number | undefined;
  for (let total = discordant.least; total <= discordant.most; total += 2) {
    const p = mcNemar((total + gap) / 2, (total - gap) / 2);
    smallestP = Math.min(smallestP, p);
    largestP = Math.max(largestP, p);
    if (isSignificant(p)) upTo = total;
  }
  const significant = !isSignificant(smallestP) ? "never" : isSignificant(largestP) ? "always" : "depends";
  return { gap, discordant, smallestP, largestP, significant, upTo: significant === "depends" ? upTo : undefined };
}
