/**
 * How bad a leak is. `shown`: a run with default settings shows it to a method. `hidden`: it stands in the files, and every run
 * hides it. `suspicion`: it may be one, or chance; a person has to look.
 */
export type Grade = "shown" | "hidden" | "suspicion";

/** Every kind of leak that is looked for, in the order in which they are told. */
export const leakKinds = {
  nearDuplicate: { grade: "shown", what: "past items that are nearly the question's text" },
  nearDuplicateInPool: { grade: "shown", what: "items of other users that are nearly a question's text" },
  goldAsPastLabel: { grade: "shown", what: "past items of another text with the gold answer as their own" },
  goldNamed: { grade: "shown", what: "questions that name their gold answer as such" },
  laterThanNext: { grade: "shown", what: "past items of undated questions, dated after a later question of the user" },
  own: { grade: "hidden", what: "past items that are the question itself, by id" },
  sameText: { grade: "hidden", what: "past items with the question's text" },
  later: { grade: "hidden", what: "past items dated after the question" },
  poolText: { grade: "hidden", what: "items of other users with the text of a question" },
  testUserInTraining: { grade: "hidden", what: "test users among the training users" },
  ownReference: { grade: "suspicion", what: "questions whose gold reference is a paper of the user's own past" },
  goldAlone: { grade: "suspicion", what: "questions whose text sets their gold answer apart" },
  shortGoldAsPastLabel: {
    grade: "suspicion",
    what: "past items of another text with the gold answer, of one or two words, as their own",
  },
  shorterDate: {
    grade: "suspicion",
    what: "past items dated by the year or month of the question alone: they may be later than it",
  },
  undatedAmongDated: { grade: "suspicion", what: "undated questions with a dated past, among dated questions" },
  nearDuplicateQuestion: {
    grade: "suspicion",
    what: "questions that are nearly an earlier one of the same user (--online learns its gold)",
  },
} as const satisfies Record<string, { readonly grade: Grade; readonly what: string }>;

export type LeakKind = keyof typeof leakKinds;
