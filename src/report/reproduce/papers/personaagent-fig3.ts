import { noGainBeyond, risesAlong } from "../claims.js";
import type { PaperTable } from "../paper-tables.js";
import { heldSettings, personaagent } from "./personaagent.js";

const curve = { method: "persona-agent", task: "lamp2m", source: "section 3.5" } as const;
const varied = ["align.batchSize", "align.iterations", "memory.k"];
const both = ["accuracy", "f1"];

export const scaling: PaperTable = {
  name: "personaagent/Fig3",
  title: "PersonaAgent on LaMP-2M by alignment batch size, alignment iterations and retrieved memories",
  source: `${personaagent.name}, Figure 3 and section 3.5`,
  model: personaagent.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: personaagent.samples,
  settings: heldSettings(...varied),
  varied,
  preset: personaagent.preset,
  claims: [
    risesAlong({
      ...curve,
      text: "larger alignment batches are better",
      option: "align.batchSize",
      metrics: ["accuracy"],
    }),
    risesAlong({
      ...curve,
      text: "accuracy and F1 gain with iterations up to around 3",
      option: "align.iterations",
      upTo: 3,
      metrics: both,
    }),
    noGainBeyond({
      ...curve,
      text: "beyond 3 iterations they stay or decline slightly",
      option: "align.iterations",
      beyond: 3,
      metrics: both,
    }),
    risesAlong({ ...curve, text: "more retrieved memories are better", option: "memory.k", metrics: ["accuracy"] }),
  ],
  caveats: [],
  notes: [
    "the values of the axes stand in the picture only; configs/personaagent-fig3-batch, -iterations and -memories take n and E from 1 to 5, k from 1 to 8: name each run with --run",
  ],
  views: [{ command: "report RUN --html", method: "persona-agent" }],
  make: "sweep scaling --config configs/personaagent-fig3-iterations.yaml",
};
