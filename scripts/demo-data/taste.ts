import type { Random } from "../../src/types/index.js";
import { pick, weighted } from "./grammar.js";
import type { Moment } from "./people.js";

/** Something to write about, and the labels that different people would give it. */
export interface Theme {
  readonly name: string;
  readonly labels: readonly string[];
}

/** A person's taste: which themes come up, and which label each gets. */
export interface Taste<T extends Theme> {
  /** One of the usual themes; for some people the very last one is one that never came up before. */
  theme(random: Random, moment: Moment): T;
  /**
   * The person's own label for a theme, kept to most of the time. The habit for the main theme changes late; what is new gets
   * the label that the person uses most.
   */
  label(theme: T, random: Random, moment: Moment): string;
}

const THEMES_PER_PERSON = 5;
const WEIGHTS = [0.3, 0.24, 0.19, 0.15, 0.12];
/** How often a person keeps to the own habit. */
const LOYALTY = 0.85;
/** How many people end on something new. */
const CURIOUS = 0.5;

export function taste<T extends Theme>(random: Random, themes: readonly T[]): Taste<T> {
  const own = random.sample(themes, THEMES_PER_PERSON);
  const [main] = own;
  const favourite = pick(random, main!.labels);
  const habit = new Map(
    own.map((theme) => [theme.name, theme.labels.includes(favourite) ? favourite : pick(random, theme.labels)]),
  );
  const lately = pick(
    random,
    main!.labels.filter((label) => label !== favourite),
  );
  const curious = random.next() < CURIOUS;
  const unknown = themes.filter((theme) => !own.includes(theme));
  const habitOf = (theme: T, { late }: Moment): string =>
    late && theme === main ? lately : (habit.get(theme.name) ?? favourite);
  return {
    theme: (draw, { last }) => (last && curious ? pick(draw, unknown) : weighted(draw, own, WEIGHTS)),
    label: (theme, draw, moment) => (draw.next() < LOYALTY ? habitOf(theme, moment) : pick(draw, theme.labels)),
  };
}
