import type { Random } from "../../src/types.js";
import { pick, weighted } from "./grammar.js";

/** Something to write about, and the labels that different people would give it. */
export interface Theme {
  readonly name: string;
  readonly labels: readonly string[];
}

/** A person's taste: which themes come up, and which label each gets. */
export interface Taste<T extends Theme> {
  theme(random: Random): T;
  /** The person's own label for a theme, kept to most of the time. */
  label(theme: T, random: Random): string;
}

const THEMES_PER_PERSON = 5;
const WEIGHTS = [0.3, 0.24, 0.19, 0.15, 0.12];
/** How often a person keeps to the own habit. */
const LOYALTY = 0.7;

export function taste<T extends Theme>(random: Random, themes: readonly T[]): Taste<T> {
  const own = random.sample(themes, THEMES_PER_PERSON);
  const habit = new Map(own.map((theme) => [theme.name, pick(random, theme.labels)]));
  return {
    theme: (draw) => weighted(draw, own, WEIGHTS),
    label(theme, draw) {
      const usual = habit.get(theme.name);
      return usual !== undefined && draw.next() < LOYALTY ? usual : pick(draw, theme.labels);
    },
  };
}
