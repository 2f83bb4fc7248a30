import type { RawQuery, Reading, Task } from "../types/index.js";
import { chatHistory } from "./chat-history.js";
import { choice, choiceQuestion, finalAnswer, letterAccuracy, lettersIn } from "./choice.js";
import { answered, UNPARSED } from "./reply-reading.js";

/** Own words, in the official order: message, instruction, options. */
const WORDING = `{input}

Which of the following replies to this message suits the user best? Give your final answer, (a), (b), (c) or (d), after <final_answer>.

{options}`;

const base = choice(4);

const isOnly = (found: readonly string[], letter: string): boolean => found.length === 1 && found[0] === letter;

/** The letter named behind `<final_answer>`, else the one named in the whole reply, as the official rule looks for the gold. */
function strict(reply: string): Reading {
  const [first, ...more] = lettersIn(finalAnswer(reply), base.labels);
  const [any, ...others] = lettersIn(reply, base.labels);
  if (first !== undefined && more.length === 0) return answered(first);
  return any !== undefined && others.length === 0 ? answered(any) : UNPARSED;
}

const accuracy = letterAccuracy(
  (reply, gold) =>
    isOnly(lettersIn(finalAnswer(reply), base.labels), gold) || isOnly(lettersIn(reply, base.labels), gold),
  {
    name: "accuracy",
    title: "Accuracy",
    source: "PersonaMem @041d82a, inference_standalone_openai.py, extract_answer",
  },
);

/** Every letter of the answer's text counts as an option, so any further word is wrong. */
const firstRule = letterAccuracy(
  (reply, gold) => isOnly([...new Set(finalAnswer(reply).toLowerCase().match(/[a-z]/g))], gold),
  {
    name: "accuracy-214bc36",
    title: "Accuracy by the rule of the first release",
    source: "PersonaMem @214bc36, inference_standalone_openai.py, extract_answer",
  },
);

export const personamemV1: Task = {
  name: "personamem-v1",
  title: "PersonaMem v1: the reply that suits the user",
  benchmark: "PersonaMem",
  source: "Jiang et al. 2025 (PersonaMem, arXiv 2504.14225); PersonaMem @041d82a",
  official: "PersonaMem_v1",
  aliases: [],
  format: "personamem-v1",
  ...chatHistory,
  ...base,
  strict,
  metrics: [accuracy, firstRule],
  question: (query: RawQuery) => choiceQuestion(query, WORDING),
};
