import type { Judge } from "../types/index.js";
import { caseText, firstObject, reasonIn } from "./case-and-verdict.js";

/** Which of two replies serves the user better. Whoever asks does so in both orders. */
export const betterReply: Judge = {
  name: "better-reply",
  summary: "which of two replies serves the user better, asked in both orders",
  source: "own; both orders against position bias (Zheng et al. 2023, LLM-as-a-Judge)",
  shows: 2,
  range: [-1, 1],
  request({ predictions: [first, second = ""], ...rest }) {
    const shown = `Reply 1:\n${first}\n\nReply 2:\n${second}`;
    return {
      system: "You compare replies of assistants. Their order means nothing.",
      messages: [
        { role: "user", content: `${caseText({ ...rest, predictions: [first, second] })}\n\n${shown}\n\n${DEMAND}` },
      ],
      maxTokens: 250,
    };
  },
  read(reply) {
    const object = firstObject(reply);
    const value = object === undefined ? undefined : VALUES.get(object.better);
    return object === undefined || value === undefined ? undefined : { value, why: reasonIn(object) };
  },
};

const DEMAND =
  'Which reply serves this user better, given what holds of the user and what was said? Reply with a JSON object and nothing else: {"better": 1, 2 or 0 for neither, "reason": "one sentence"}';

const VALUES: ReadonlyMap<unknown, number> = new Map([
  [1, 1],
  [2, -1],
  [0, 0],
]);
