import type { Counted } from "../../options.js";
import type { Event, Kit } from "../../types.js";
import { agreement } from "./agreement.js";
import type { Persona } from "./samples.js";
import type { Simulator } from "./simulate.js";

/** Whether a rewritten persona may stay (`align.validate`). */
export interface Trial {
  passes(persona: Persona, kit: Kit): Promise<boolean>;
}

/**
 * `holdout:m`: the newest m events outside all batches are simulated under each persona, and one that does worse than the
 * last one that stayed is refused (TextGrad's revert). `off`, or no event left to hold out (counted): everything passes.
 */
export async function openTrial(
  unused: readonly Event[],
  wanted: Counted,
  simulate: Simulator,
  initial: Persona,
  kit: Kit,
): Promise<Trial> {
  if (wanted.kind === "off") return EVERYTHING_PASSES;
  const heldOut = unused.slice(-wanted.count);
  if (heldOut.length === 0) {
    kit.count("align-not-validated");
    return EVERYTHING_PASSES;
  }
  const scoresOf = async (persona: Persona, trialKit: Kit): Promise<Scores> => {
    const samples = await simulate(heldOut, persona, trialKit);
    const scores = new Map(
      samples.map(({ event, response, expected }) => [event.id, agreement(trialKit.task.kind, response, expected)]),
    );
    trialKit.note({ kind: "validation", data: { persona: persona.version, scores: Object.fromEntries(scores) } });
    return scores;
  };
  let standing = await scoresOf(initial, kit);
  return {
    async passes(persona, trialKit) {
      const scores = await scoresOf(persona, trialKit);
      if (gain(standing, scores) < 0) {
        trialKit.count("align-reverted");
        return false;
      }
      standing = scores;
      return true;
    },
  };
}

/** Agreement by event id; an event whose calls failed is missing, not zero. */
type Scores = ReadonlyMap<string, number>;

const EVERYTHING_PASSES: Trial = { passes: async () => true };

/** Summed over the events that both have. */
function gain(before: Scores, after: Scores): number {
  let sum = 0;
  for (const [event, score] of after) sum += score - (before.get(event) ?? score);
  return sum;
}
