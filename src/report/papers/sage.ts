import { type Paper, tableMaker } from "./paper.js";

const table = tableMaker("sage", "SAGE", { task: "home-commands" });

export const sagePaper: Paper = {
  id: "sage",
  title: "SAGE (the text at hand is an excerpt: section 5.1)",
  tables: [
    table(
      "Fig3",
      "the personalization module: daily summaries, profile, tool and answer",
      "figure 3 and section 5.1",
      "run --config configs/sage-fig3.yaml",
      { notes: ["on an own sample of the paper's kind"], views: ["show RUN --method sage --preparation"] },
    ),
  ],
  absent: {
    results:
      "tables of results: the excerpt has none; the benchmark of the full paper (50 tasks in a simulated home) needs the state of devices, and its data may not be reused",
    tools:
      "TV schedule, weather, mail and calendar: the excerpt names them and leaves them out; they are other services, not personalization",
  },
  contradictions: [
    "the excerpt calls the profile dynamic; the release builds it once, offline, and its update is never called",
  ],
};
