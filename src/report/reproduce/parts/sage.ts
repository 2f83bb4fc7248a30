import type { PaperParts } from "./part.js";

export const sage: PaperParts = {
  paper: "sage",
  title: "SAGE (the text at hand is an excerpt: section 5.1)",
  parts: [
    {
      name: "sage/Fig3",
      title: "the personalization module",
      state: "made",
      how: "run --config configs/sage-fig3.yaml, then show RUN --method sage --preparation: daily summaries, profile, tool and answer on an own sample of the paper's kind",
    },
    {
      name: "sage/results",
      title: "tables of results",
      state: "not",
      how: "the excerpt has none; the benchmark of the full paper (50 tasks in a simulated home) needs the state of devices, and its data may not be reused",
    },
    {
      name: "sage/tools",
      title: "TV schedule, weather, mail and calendar tools",
      state: "not",
      how: "the excerpt names them and leaves them out; they are other services, not personalization",
    },
  ],
  contradictions: [
    "the excerpt calls the profile dynamic; the release builds it once, offline, and its update is never called",
  ],
};
