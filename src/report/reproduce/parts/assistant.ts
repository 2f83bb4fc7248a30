import type { PaperParts } from "./part.js";

export const assistant: PaperParts = {
  paper: "assistant",
  title: "Personalized LLM assistant with long-term user memory",
  parts: [
    {
      name: "assistant/Fig1",
      title: "the architecture",
      state: "not",
      how: "it draws the design, and holds no measured value",
    },
    {
      name: "assistant/T1",
      title: "statistics of the data sets",
      state: "partly",
      how: "run --config configs/assistant-t2.yaml: every table prints users and n; the authors' dialogue has no licence, ours are 12 of the same structure",
    },
    {
      name: "assistant/T2",
      title: "mean verdicts on a dialogue of 50 turns",
      state: "partly",
      how: "run --config configs/assistant-t2.yaml, then judge RUN, then reproduce assistant/T2 --run RUN; on other dialogues than the authors'",
    },
    {
      name: "assistant/T3",
      title: "mean verdicts on PersonaChat",
      state: "made",
      how: "run --config configs/assistant-t3.yaml --users 48 --data DIR, then judge RUN, then reproduce assistant/T3 --run RUN; DIR holds your personachat_self_original.json",
    },
    {
      name: "assistant/T4",
      title: "one turn of recall, side by side",
      state: "partly",
      how: "run --config configs/assistant-t2.yaml, then show RUN --question d01-t46: prints such a turn of our dialogues, with facts, retrieval and reply",
    },
    {
      name: "assistant/5.2",
      title: "where the memory helps and where not",
      state: "partly",
      how: "run --config configs/assistant-t2.yaml, then judge RUN, then report RUN --figures: draws verdicts over turns: recall at turns 9-16 and 41-47, plain explanations at 17-26",
    },
  ],
  contradictions: [
    "PersonaChat: 10 dialogues at random in the text; the released notebook prints the table's values over the first 48, and 7.7, 7.5 and 6.2 over the first 10",
    "every turn is said to be judged on a scale of 1 to 10; the code averages verdicts that it cannot read as 0",
    "the buffer is said to hold the last 4 turns; in the code these are 4 lines of the user's",
    'the judge is said to see persona and history; its prompt reads the key "history", PersonaChat\'s samples have "full_history"',
  ],
};
