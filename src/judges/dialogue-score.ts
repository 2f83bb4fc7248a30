import type { Judge } from "../types/index.js";
import { caseText, firstObject, reasonIn } from "./case-and-verdict.js";

const [LOWEST, HIGHEST] = [1, 10];

/** Section 4.3 of the assistant paper, in our words: one whole number from 1 to 10 for personalization and coherence together. */
export const dialogueScore: Judge = {
  name: "dialogue-score",
  summary: "one reply of a dialogue, 1 to 10, for how well it fits the user and what was said",
  source: "section 4.3 of the assistant paper; METHODS 11",
  shows: 1,
  range: [LOWEST, HIGHEST],
  request: ({ predictions: [reply], ...rest }) => ({
    system: "You judge replies of an assistant, strictly and by the rubric alone.",
    messages: [
      {
        role: "user",
        content: `${caseText({ ...rest, predictions: [reply] })}\n\nThe assistant's reply:\n${reply}\n\n${RUBRIC}`,
      },
    ],
    maxTokens: 250,
  }),
  read(reply) {
    const object = firstObject(reply);
    const value = object?.score;
    if (object === undefined || typeof value !== "number" || !Number.isInteger(value)) return undefined;
    return value >= LOWEST && value <= HIGHEST ? { value, why: reasonIn(object) } : undefined;
  },
};

const RUBRIC = [
  "Score this reply for personalization and coherence with one whole number:",
  "1 to 3: it contradicts what holds of the user, or has nothing to do with what the user says;",
  "4 to 6: it is general and does not use what holds of the user;",
  "7 to 8: it is coherent and agrees with what holds of the user;",
  "9 to 10: it uses what holds of the user with skill and is made for this user.",
  'Reply with a JSON object and nothing else: {"score": NUMBER, "reason": "one sentence"}',
].join("\n");
