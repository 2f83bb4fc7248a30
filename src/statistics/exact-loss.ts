/** What became of paired questions: right before and wrong now, wrong before and right now, of how many. */
export interface ChangedAnswers {
  readonly worse: number;
  readonly better: number;
  readonly count: number;
}

/**
 * p of "answers get worse on a share of questions that exceeds the share of those that get better by `margin` or more", for
 * right and wrong answers: the chance of so small a net loss where the excess is just the margin, counted out over the
 * trinomial, with the likeliest share of gains under that margin. Unlike any bootstrap it knows of what was not seen: with
 * no change it is (1 - margin)^count. Questions are taken as independent.
 * Source: Hsueh, Liu and Chen, Biometrics 57(2), 2001 (restricted likelihood); Storer and Kim, JASA 85, 1990 (the plug-in).
 */
export function netLossP({ worse, better, count }: ChangedAnswers, margin: number): number {
  if (margin >= 1) return 0;
  const gains = likeliestGains({ worse, better, count }, margin);
  const losses = gains + margin;
  let p = 0;
  let chance = (1 - gains) ** count;
  for (let gained = 0; gained <= count; gained++) {
    p += chance * binomialAtMost(gained + worse - better, count - gained, losses / (1 - gains));
    chance *= ((count - gained) / (gained + 1)) * (gains / (1 - gains));
    if (gained > gains * count && chance < NEGLIGIBLE) break;
  }
  return Math.min(1, p);
}

/**
 * P(at most `hits` of `count`) at this chance. As a p of "the chance is that or more" it is below alpha where the upper bound
 * of Clopper and Pearson (Biometrika 26, 1934) is below the chance.
 */
export function binomialAtMost(hits: number, count: number, chance: number): number {
  if (hits < 0) return 0;
  if (hits >= count) return 1;
  if (chance >= 1) return 0;
  let term = (1 - chance) ** count;
  let sum = term;
  for (let hit = 1; hit <= hits; hit++) {
    term *= ((count - hit + 1) / hit) * (chance / (1 - chance));
    sum += term;
  }
  return Math.min(1, sum);
}

/** The fewest questions without any change that show a loss of `margin` to be implausible. Undefined for margin 0. */
export function neededUnchanged(margin: number, alpha: number): number | undefined {
  if (margin <= 0) return undefined;
  return margin >= 1 ? 1 : Math.ceil(Math.log(alpha) / Math.log(1 - margin));
}

// --- internal ---

const NEGLIGIBLE = 1e-18;
const BISECTIONS = 60;

/** Maximum likelihood of the share of gains where that of losses is larger by the margin: the slope falls throughout. */
function likeliestGains({ worse, better, count }: ChangedAnswers, margin: number): number {
  const same = count - worse - better;
  const slope = (gains: number) =>
    (worse === 0 ? 0 : worse / (gains + margin)) +
    (better === 0 ? 0 : better / gains) -
    (2 * same) / (1 - margin - 2 * gains);
  let [low, high] = [0, (1 - margin) / 2];
  if (slope(0) <= 0) return 0;
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
