import { HELD_BYTES } from "../../../src/data/selection.js";
import { reviewUser, writeReviews } from "../../../test/helpers/review-data.js";

const USERS = 1_200;

/** Data of a file that is too large to be held: users are read from their places when their turn comes. */
export function streamedUsers(folder: string): void {
  const filler = "warm light and a sound switch ".repeat(HELD_BYTES / USERS / 120);
  const users = Array.from({ length: USERS }, (_, u) => {
    const user = userOf(u, 4);
    return { ...user, profile: user.profile.map((item) => ({ ...item, notes: filler })) };
  });
  writeReviews(folder, users);
}

const TEXT = "a sturdy kettle that boils fast and pours without any drip on the";

function userOf(u: number, past: number) {
  const user = reviewUser(`u${u}`, past, 1);
  const [question] = user.query;
  const near = { id: `u${u}-near`, text: `${TEXT} table ${u}`, score: u % 3 === 0 ? "5" : "2", date: "2018-01-01" };
  return {
    ...user,
    profile: [...user.profile, near],
    query: [{ ...question, input: `${ASKED} ${TEXT} shelf ${u}`, gold: u % 4 === 0 ? "4" : "5" }],
  };
}

const ASKED =
  "What is the score of the following review on a scale of 1 to 5? just answer with 1, 2, 3, 4, or 5 without further explanation. review:";
