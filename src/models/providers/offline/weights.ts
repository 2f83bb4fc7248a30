/** Name and version of the frozen numbers below; goes into every reply's `model`. Change it when any of them changes. */
export const version = "lexical-1";

/** Few and round on purpose: on the histories they were tried on, wide ranges of each scored alike. */
export const weights = {
  /** Votes that stand for "any option is possible", spread over all options. */
  doubt: 0.5,
  /** How much more the most similar example counts than an unrelated one. */
  similarity: 12,
  /** Share of topic likeness (shared vocabulary topics) against word likeness in `similarity`. */
  topicLikeness: 0.7,
  /** Votes that a fully stated label distribution is worth. */
  stated: 6,
  /** Votes per matching word of a stated rule. */
  rule: 1.5,
  /** Trust in general word knowledge beside personal evidence. */
  knowledge: 0.8,
  /** Log-odds per vocabulary word found in the query. */
  topicWord: 1.1,
  /** Log-odds per own word of an option found in the query. */
  ownWord: 1.6,
} as const;

/** The same for ratings, which are ordered. */
export const rating = {
  /** Votes that general sense of the text's leaning is worth. */
  general: 0.3,
  /** Votes for what people usually rate, once ratings are shown at all. */
  population: 1.5,
  /** How near (in leaning, -1..1) an example must be to count. */
  width: 0.5,
  /** How much more the most similar example counts. */
  similarity: 4,
  /** Votes that a fully stated distribution is worth. */
  stated: 10,
  /** Position on the scale (0 lowest, 1 highest) of a text that does not lean, and how far leaning moves it. */
  neutral: 0.55,
  slope: 0.45,
  /** Leaning below which a text counts as negative. */
  blame: -0.2,
  /** Spread of ratings around what a leaning points to, in steps of the scale. */
  spread: 1,
} as const;

/** What a stated profile is worth beside shown examples. */
export const profile = {
  /** Likeness of the nearest example at which a profile counts half. */
  near: 0.1,
  /** Share of its votes where only the most usual label is stated. */
  modeOnly: 0.4,
} as const;

/** Which of two papers is cited. */
export const reference = {
  sharpness: 8,
  /** Weight of the most similar known paper, and of the mean over all, against the paper asked about. */
  nearest: 0.7,
  usual: 1,
} as const;

export const title = {
  /** Words of a title where none is shown. */
  usualWords: 10,
  sharpness: 6,
  /** Weight of words of shown titles. */
  titleWord: 0.6,
  /** Bonus behind words such as "we propose". */
  cue: 0.25,
  /** Loss over the length of the text. */
  late: 0.25,
  /** Loss for beginning or ending on a function word. */
  looseStart: 0.1,
  looseEnd: 0.3,
} as const;
