import { finalAnswer } from "../../agent/text-react.js";
import type { Counted } from "../../registry/options.js";
import { trimSigns } from "../../text/scan.js";
import { rougeTokens } from "../../text/tokens.js";
import type { Event, Kit, TaskBrief } from "../../types/index.js";
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

/**
 * How near an answer is to what the user did, 0 to 1; 1 = the same. For alignment's own decisions only
 * (`align.skipCorrect`, `align.validate`): the benchmark's scoring is out of a method's reach.
 */
export function agreement(kind: TaskBrief["kind"], response: string, expected: string): number {
  const given = plain(finalAnswer(response));
  const wanted = plain(expected);
  return given === wanted ? 1 : nearness[kind](given, wanted);
}

/** Letter case, outer quotes and a trailing period do not make another answer. */
function plain(text: string): string {
  const bare = text.toLowerCase().replace(/\s+/g, " ").trim();
  return trimSigns(bare, "\"'`*", "\"'`*.");
}

/** Widest distance of two LaMP-3 scores. */
const RATING_SPAN = 4;

const nearness: Readonly<Record<TaskBrief["kind"], (given: string, wanted: string) => number>> = {
  label: () => 0,
  rating: (given, wanted) => {
    const distance = given === "" ? Number.NaN : Math.abs(Number(given) - Number(wanted));
    return Number.isNaN(distance) ? 0 : Math.max(0, 1 - distance / RATING_SPAN);
  },
  text: unigramF1,
  choice: () => 0,
};

function unigramF1(given: string, wanted: string): number {
  const left = new Map<string, number>();
  const wantedTokens = rougeTokens(wanted);
  const givenTokens = rougeTokens(given);
  for (const token of wantedTokens) left.set(token, (left.get(token) ?? 0) + 1);
  let shared = 0;
  for (const token of givenTokens) {
    const count = left.get(token) ?? 0;
    if (count === 0) continue;
    left.set(token, count - 1);
    shared++;
  }
  return shared === 0 ? 0 : (2 * shared) / (givenTokens.length + wantedTokens.length);
}
