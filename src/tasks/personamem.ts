import type { RawQuery, Task } from "../types/index.js";
import { chatHistory } from "./chat-history.js";
import { choice, choiceQuestion } from "./choice.js";

/** Own words for the request of the authors' training code: the options by letter, the answer in a box. */
const WORDING = `{input}

Which of the following replies to this message suits the user best? Choose one.
{options}

Give your answer as \\boxed{a}, \\boxed{b}, \\boxed{c} or \\boxed{d}.`;

export const personamem: Task = {
  name: "personamem",
  title: "PersonaMem v2: the reply that suits the user",
  benchmark: "PersonaMem",
  source: "Jiang et al. 2025 (PersonaMem-v2, arXiv 2512.06688), text, multiple choice; PersonaMem-v2 @8d4fbef",
  official: "PersonaMem_v2",
  aliases: ["personamem-v2"],
  format: "personamem",
  ...chatHistory,
  ...choice(4),
  question: (query: RawQuery) => choiceQuestion(query, WORDING),
};
