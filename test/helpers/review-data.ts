import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface ReviewUser {
  readonly user_id: string;
  readonly profile: readonly object[];
  readonly query: readonly object[];
}

/** A user of LaMP-3 in the per-user form: dated reviews, and questions with gold. */
export function reviewUser(id: string, past = 3, questions = 2): ReviewUser {
  return {
    user_id: id,
    profile: Array.from({ length: past }, (_, i) => ({
      id: `${id}-p${i}`,
      text: `Review number ${i} of ${id}: ${i % 2 === 0 ? "a fine lamp, bright and warm" : "a dull lamp that broke"}`,
      score: i % 2 === 0 ? "5" : "1",
      date: `2019-0${i + 1}-01`,
    })),
    query: Array.from({ length: questions }, (_, i) => ({
      id: `${id}-q${i}`,
      input: `What is the score of the following review on a scale of 1 to 5? just answer with 1, 2, 3, 4, or 5 without further explanation. review: Question ${i} of ${id}: a lamp for the desk`,
      gold: i % 2 === 0 ? "5" : "1",
      date: `2020-0${i + 1}-01`,
    })),
  };
}

/** Writes a data folder of LaMP-3 users; with `others` it has training users too. Returns the folder. */
export function writeReviews(folder: string, users: readonly object[], others?: readonly object[]): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "users.json"), JSON.stringify(users));
  if (others !== undefined) writeFileSync(join(folder, "user_others.json"), JSON.stringify(others));
  return folder;
}
