import type { Paper, PaperTable } from "./paper.js";

const personalization: PaperTable = {
  name: "sage/Fig3",
  title: "the personalization module: daily summaries, profile, tool and answer",
  source: "SAGE, figure 3 and section 5.1",
  columns: [],
  rows: [],
  task: "home-commands",
  samples: {},
  settings: {},
  claims: [],
  caveats: [],
  notes: ["on an own sample of the paper's kind"],
  views: [{ command: "show RUN --method sage --preparation", method: "sage" }],
  make: "run --config configs/sage-fig3.yaml",
};

export const sagePaper: Paper = {
  id: "sage",
  title: "SAGE (the text at hand is an excerpt: section 5.1)",
  tables: [personalization],
  absent: [
    {
      name: "sage/results",
      title: "tables of results",
      why: "the excerpt has none; the benchmark of the full paper (50 tasks in a simulated home) needs the state of devices, and its data may not be reused",
    },
    {
      name: "sage/tools",
      title: "TV schedule, weather, mail and calendar tools",
      why: "the excerpt names them and leaves them out; they are other services, not personalization",
    },
    { name: "sage*", title: "anything else", why: "the excerpt has no table of results" },
  ],
  contradictions: [
    "the excerpt calls the profile dynamic; the release builds it once, offline, and its update is never called",
  ],
};
