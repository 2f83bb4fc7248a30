import { normalQuantile } from "./normal.js";
import { ALPHA } from "./significance.js";

interface PowerSettings {
  /** Two-sided. Default .05. */
  readonly alpha?: number;
  /** Chance to find the difference when it is there. Default .8. */
  readonly power?: number;
}

/**
 * Questions that McNemar's test needs to find a difference of two shares, when `discordant` is the share of questions
 * on which the arms disagree. Undefined where there is nothing to find. Questions are taken as independent.
 * Source: Connor, Biometrics 43(1), 1987, formula 3 (unconditional).
 */
export function neededForShares(
  difference: number,
  discordant: number,
  settings: PowerSettings = {},
): number | undefined {
  const size = Math.abs(difference);
  if (size === 0) return undefined;
  if (size > discordant) throw new RangeError(`a difference of ${size} needs as many discordant, not ${discordant}`);
  return Math.ceil(connor(size, discordant, settings) - ROUNDING);
}

/**
 * The smallest difference of two shares that `count` questions find. Undefined where even one-sided disagreement on all
 * discordant questions would not be found.
 */
export function detectableShares(count: number, discordant: number, settings: PowerSettings = {}): number | undefined {
  if (discordant <= 0 || connor(discordant, discordant, settings) > count) return undefined;
  let low = 0;
  let high = discordant;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (connor(middle, discordant, settings) > count) low = middle;
    else high = middle;
  }
  return high;
}

/** Questions needed to find a mean difference of values with this standard deviation (normal approximation). Undefined for difference 0. */
export function neededForMean(difference: number, deviation: number, settings: PowerSettings = {}): number | undefined {
  if (difference === 0) return undefined;
  const { alpha, power } = quantiles(settings);
  return Math.max(1, Math.ceil((((alpha + power) * deviation) / difference) ** 2 - ROUNDING));
}

/** The smallest mean difference that `count` questions find. */
export function detectableMean(count: number, deviation: number, settings: PowerSettings = {}): number {
  const { alpha, power } = quantiles(settings);
  return ((alpha + power) * deviation) / Math.sqrt(count);
}

// --- internal ---

const BISECTIONS = 60;
/** A need of 100.0000000001 is a need of 100. */
const ROUNDING = 1e-9;

function connor(difference: number, discordant: number, settings: PowerSettings): number {
  const { alpha, power } = quantiles(settings);
  const spread = alpha * Math.sqrt(discordant) + power * Math.sqrt(Math.max(0, discordant - difference ** 2));
  return (spread / difference) ** 2;
}

const quantiles = ({ alpha = ALPHA, power = 0.8 }: PowerSettings) => ({
  alpha: normalQuantile(1 - alpha / 2),
  power: normalQuantile(power),
});
