import { bestMethod, incidentsInMost, noGainBeyond, risesAlong } from "../reproduce/claims.js";
import { bestModel } from "../reproduce/models.js";
import { distinctPersonas, mostlyUnlike } from "../reproduce/personas.js";
import { type Paper, type PaperRow, type PaperTable, row } from "./paper.js";

/** What all tables of PersonaAgent share. */
export const personaagent = {
  name: "PersonaAgent: When Large Language Model Agents Meet Personalization at Test Time",
  model: "Claude-3.5 Sonnet",
  /**
   * Questions behind the printed values: each accuracy is k/N; for LaMP-3 all MAE and RMSE squared are integer sums over N.
   * LaMP-2N, 4 and 5 cannot be derived.
   */
  samples: { lamp1: 123, lamp2m: 300, lamp3: 112 },
  /** Other sizes up to 500 that fit every value of tables 2 and 3 (a test goes through them). */
  alsoFits: { lamp1: [246, 369, 492], lamp2m: [400], lamp3: [224, 336, 448] },
  /** PROTOCOL.md 6. */
  support: { lamp1: "OPPU's file has 123", lamp3: "OPPU's file has 112" },
  /** Appendix E. */
  settings: {
    temperature: 0.1,
    "align.batchSize": 3,
    "align.iterations": 1,
    "memory.k": 4,
    "rag.k": 4,
    "pag.k": 4,
  },
  /** `--preset personaagent`, docs/FIDELITY.md. */
  preset: {
    name: "personaagent",
    set: {
      embedder: "onnx/sentence-transformers/all-MiniLM-L6-v2",
      "icl.k": 4,
      "icl.select": "random",
      "rag.retriever": "bm25",
      "prompt.style": "lamp",
      "pag.summary": "llm",
      "align.batch": "latest",
      "align.schedule": "once",
      "align.memoryCutoff": "before-event",
      "membank.mode": "agent",
      "membank.forget": "off",
      "agent.maxSteps": 15,
    },
    perTask: { lamp2m: { "data.maxQueriesPerUser": 3 } },
  },
  notes: [
    "the paper names no encoder, ICL pool, memory cutoff or agent limits: docs/FIDELITY.md says what stands in their place",
    "its model is retired: a gap may be the model's, not the method's; compare methods within one column first",
    "how many questions of LaMP-2M it asked, and which, it does not say; data.maxQueriesPerUser=3 draws 300, which fit its scores as other numbers do",
  ],
} as const;

/** Its settings without those that an axis of a figure varies. */
const heldSettings = (...varied: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(personaagent.settings).filter(([name]) => !varied.includes(name)));

/** The columns of its tables 2 and 3. */
const decisionColumns = [
  { task: "lamp1", metric: "accuracy" },
  { task: "lamp1", metric: "f1" },
  { task: "lamp2m", metric: "accuracy" },
  { task: "lamp2m", metric: "f1" },
  { task: "lamp2n", metric: "accuracy" },
  { task: "lamp2n", metric: "f1" },
  { task: "lamp3", metric: "mae" },
  { task: "lamp3", metric: "rmse" },
] as const;

const mainResults: PaperTable = {
  name: "personaagent/T2",
  title: "methods on four decision tasks",
  source: `${personaagent.name}, Table 2`,
  model: personaagent.model,
  columns: decisionColumns,
  transposed: true,
  rows: [
    row("Prompt", "prompt", "0.772 0.771 0.387 0.302 0.660 0.386 0.295 0.590"),
    row("ICL", "icl", "0.780 0.766 0.283 0.217 0.388 0.145 0.277 0.543"),
    row("RAG", "rag", "0.715 0.714 0.427 0.386 0.742 0.484 0.313 0.713"),
    row("PAG", "pag", "0.837 0.837 0.430 0.387 0.768 0.509 0.339 0.835"),
    row("ReAct", "react", "0.837 0.853 0.450 0.378 0.639 0.381 0.313 0.590"),
    row("MemBank", "membank", "0.862 0.861 0.470 0.391 0.741 0.456 0.321 0.582"),
    row("PersonaAgent", "persona-agent", "0.919 0.918 0.513 0.424 0.796 0.532 0.241 0.509"),
  ],
  samples: personaagent.samples,
  alsoFits: personaagent.alsoFits,
  support: personaagent.support,
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [
    bestMethod({
      text: "PersonaAgent is best on all four tasks",
      source: "section 3.2",
      method: "persona-agent",
      rivals: ["prompt", "icl", "rag", "pag", "react", "membank"],
      columns: decisionColumns,
    }),
  ],
  caveats: [
    "what alignment alone gains stands in personaagent/T3: on LaMP-1 3 hits of 123, the smallest size that fits, which no pairing makes significant (of 246, which fits too, 6, and p goes down to .031)",
  ],
  notes: personaagent.notes,
  views: [],
  make: "run --config configs/personaagent-t2.yaml",
};

const ablation: PaperTable = {
  name: "personaagent/T3",
  title: "PersonaAgent without each of its parts",
  source: `${personaagent.name}, Table 3`,
  model: personaagent.model,
  columns: decisionColumns,
  rows: [
    row("PersonaAgent", "persona-agent", "0.919 0.918 0.513 0.424 0.796 0.532 0.241 0.509"),
    row("w/o alignment", "persona-agent-wo-alignment", "0.894 0.893 0.487 0.403 0.775 0.502 0.259 0.560"),
    row("w/o persona", "persona-agent-wo-persona", "0.846 0.855 0.463 0.361 0.769 0.483 0.277 0.542"),
    row("w/o Memory", "persona-agent-wo-memory", "0.821 0.841 0.460 0.365 0.646 0.388 0.348 0.661"),
    row("w/o Action", "persona-agent-wo-action", "0.764 0.789 0.403 0.329 0.626 0.375 0.375 0.756"),
  ],
  samples: personaagent.samples,
  alsoFits: personaagent.alsoFits,
  support: personaagent.support,
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [
    bestMethod({
      text: "every part of PersonaAgent helps on every task",
      source: "section 3.3",
      method: "persona-agent",
      rivals: [
        "persona-agent-wo-alignment",
        "persona-agent-wo-persona",
        "persona-agent-wo-memory",
        "persona-agent-wo-action",
      ],
      columns: decisionColumns,
      each: true,
    }),
  ],
  caveats: [],
  notes: [
    ...personaagent.notes,
    "the paper does not say whether parts are removed one at a time (ablation.mode=individual, the default) or one after the other",
  ],
  views: [],
  make: "sweep ablation --config configs/personaagent-t3.yaml",
};

const generationColumns = [
  { task: "lamp4", metric: "rouge-1" },
  { task: "lamp4", metric: "rouge-l" },
  { task: "lamp5", metric: "rouge-1" },
  { task: "lamp5", metric: "rouge-l" },
];

const generation: PaperTable = {
  name: "personaagent/T4",
  title: "methods on two text generation tasks",
  source: `${personaagent.name}, Table 4, appendix G`,
  model: personaagent.model,
  columns: generationColumns,
  transposed: true,
  rows: [
    row("Prompt", "prompt", "0.129 0.118 0.455 0.384"),
    row("ICL", "icl", "0.140 0.127 0.444 0.380"),
    row("RAG", "rag", "0.161 0.145 0.475 0.424"),
    row("PAG", "pag", "0.160 0.143 0.472 0.413"),
    row("ReAct", "react", "0.167 0.150 0.468 0.407"),
    row("MemBank", "membank", "0.160 0.142 0.463 0.399"),
    row("PersonaAgent", "persona-agent", "0.178 0.166 0.503 0.434"),
  ],
  samples: {},
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [
    bestMethod({
      text: "PersonaAgent is best on both tasks",
      source: "appendix G",
      method: "persona-agent",
      rivals: ["prompt", "icl", "rag", "pag", "react", "membank"],
      columns: generationColumns,
    }),
  ],
  caveats: [],
  notes: [
    ...personaagent.notes.slice(0, 2),
    "the paper does not say which ROUGE; ours is Google's without stemming, as the benchmark's, exact mean instead of its bootstrap median",
  ],
  views: [],
  make: "run --config configs/personaagent-t4.yaml",
};

const personaMap: PaperTable = {
  name: "personaagent/Fig2",
  title: "t-SNE map of the learned personas, with the initial template, on LaMP-2M",
  source: `${personaagent.name}, Figure 2 and section 3.4 (line 264)`,
  model: personaagent.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: personaagent.samples,
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [distinctPersonas("section 3.4")],
  caveats: [],
  notes: [
    "the paper names no encoder and no t-SNE settings: distances on the map are not comparable, only its separation",
  ],
  views: [
    { command: "report RUN --html", method: "persona-agent" },
    { command: "show persona RUN --map --method persona-agent", method: "persona-agent" },
    { command: "show persona RUN --user USER --method persona-agent --diff", method: "persona-agent" },
  ],
  make: "run --preset personaagent --task lamp2m --method persona-agent",
};

const curve = { method: "persona-agent", task: "lamp2m", source: "section 3.5" } as const;
const varied = ["align.batchSize", "align.iterations", "memory.k"];
const both = ["accuracy", "f1"];

/** The points of an axis, the other two as the paper has them. */
const scalingRows = (group: string, option: string, values: readonly number[]): PaperRow[] =>
  values.map((value) => {
    const held = { "align.batchSize": 3, "align.iterations": 1, "memory.k": 4 };
    const arm = { method: "persona-agent", options: { ...held, [option]: value } };
    return { group, method: String(value), arm, printed: ["-", "-"] };
  });

const scaling: PaperTable = {
  name: "personaagent/Fig3",
  title: "PersonaAgent on LaMP-2M by alignment batch size, alignment iterations and retrieved memories",
  source: `${personaagent.name}, Figure 3 and section 3.5`,
  model: personaagent.model,
  columns: [
    { task: "lamp2m", metric: "accuracy" },
    { task: "lamp2m", metric: "f1" },
  ],
  heads: ["Axis", "Value"],
  rows: [
    ...scalingRows("alignment batch", "align.batchSize", [1, 2, 3, 4, 5]),
    ...scalingRows("alignment iterations", "align.iterations", [1, 2, 3, 4, 5]),
    ...scalingRows("retrieved memories", "memory.k", [1, 2, 4, 8]),
  ],
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
  simulated:
    "iterations change nothing here: the embedded model has the same feedback on the same batch each time, so its persona is settled after one update",
  make: "sweep scaling --config configs/personaagent-fig3-iterations.yaml",
};

const backboneColumns = [{ task: "lamp2m", metric: "accuracy" }];

const models = {
  mistralSmall: { label: "Mistral-Small", is: /mistral-small/i, example: "bedrock/mistral.mistral-small-2402-v1:0" },
  mistralLarge: { label: "Mistral-Large", is: /mistral-large/i, example: "bedrock/mistral.mistral-large-2402-v1:0" },
  claude35: { label: "Claude-3.5", is: /claude-3[.-]5/i, example: "anthropic/claude-3-5-sonnet-20241022" },
  claude37: { label: "Claude-3.7", is: /claude-3[.-]7/i, example: "anthropic/claude-3-7-sonnet-20250219" },
};

const backbones: PaperTable = {
  name: "personaagent/Fig4",
  title: "methods on LaMP-2M by base model: Mistral-Small, Mistral-Large, Claude-3.5, Claude-3.7",
  source: `${personaagent.name}, Figure 4 and section 3.6: the one value in its text`,
  model: "Mistral-Small, Mistral-Large, Claude-3.5, Claude-3.7",
  columns: backboneColumns,
  rows: [
    {
      method: "PersonaAgent, Claude-3.7",
      arm: { method: "persona-agent", model: models.claude37.is },
      printed: ["55.0%"],
    },
  ],
  samples: { lamp2m: personaagent.samples.lamp2m },
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [
    bestMethod({
      text: "PersonaAgent is best with every base model",
      source: "section 3.6",
      method: "persona-agent",
      rivals: ["prompt", "icl", "rag", "pag", "react", "membank"],
      columns: backboneColumns,
      models: Object.values(models),
    }),
    bestModel({
      text: "PersonaAgent with Claude-3.7 is best of all settings",
      source: "section 3.6",
      method: "persona-agent",
      model: models.claude37,
      ...backboneColumns[0]!,
    }),
  ],
  caveats: ["all other values stand in the picture only: no published numbers for them"],
  notes: personaagent.notes,
  views: [{ command: "report RUN --html", method: "persona-agent" }],
  make: "sweep backbones --config configs/personaagent-fig4.yaml",
};

const personaSimilarity: PaperTable = {
  name: "personaagent/Fig5",
  title: "Jaccard similarity of the learned personas of 100 users on LaMP-2M",
  source: `${personaagent.name}, Figure 5, appendix I (line 1082)`,
  model: personaagent.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: personaagent.samples,
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [mostlyUnlike("appendix I")],
  caveats: [],
  notes: ["the paper does not say how it cuts words: ours are lower-cased runs of letters, digits and apostrophes"],
  views: [
    { command: "report RUN --html", method: "persona-agent" },
    { command: "show persona RUN --jaccard --method persona-agent", method: "persona-agent" },
  ],
  make: "run --preset personaagent --task lamp2m --method persona-agent",
};

const agentCase: PaperTable = {
  name: "personaagent/Fig6",
  title: "one execution of PersonaAgent step by step, on LaMP-2M",
  source: `${personaagent.name}, Figure 6 (line 1087)`,
  model: personaagent.model,
  columns: [],
  rows: [],
  task: "lamp2m",
  samples: personaagent.samples,
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [
    incidentsInMost({
      text: "the agent asks both Wikipedia and its memory of the user before it answers",
      source: "Figure 6, one case",
      method: "persona-agent",
      incidents: ["runs-with-two-tools", "tool=wikipedia", "tool=episodic_memory"],
      says: "questions answered with both tools",
    }),
  ],
  caveats: ["the figure has Wikipedia before memory; in which order tools are asked is not checked"],
  notes: ["one case, chosen by the authors: nothing follows from it for other questions"],
  views: [
    { command: "show RUN --method persona-agent --question QUESTION", method: "persona-agent" },
    { command: "show persona RUN --user USER --method persona-agent", method: "persona-agent" },
  ],
  make: "run --preset personaagent --task lamp2m --method persona-agent",
};

const coldStart: PaperTable = {
  name: "personaagent/cold-start",
  title: "PersonaAgent with the 10 latest interactions of each user",
  source: "public notes on the ACL 2026 version of PersonaAgent (a secondary source)",
  columns: [
    { task: "lamp1", metric: "accuracy" },
    { task: "lamp3", metric: "mae" },
  ],
  rows: [
    {
      method: "PersonaAgent",
      arm: { method: "persona-agent", options: { "history.limit": "latest:10" } },
      printed: ["0.845", "0.301"],
      otherSet: ["lamp1", "lamp3"],
    },
  ],
  samples: { lamp1: personaagent.samples.lamp1, lamp3: personaagent.samples.lamp3 },
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [],
  caveats: [
    "neither value is one that the test sets of personaagent/T2 can print: other questions, or another rounding",
  ],
  notes: ["the notes name neither model nor test set, nor which 10 interactions: ours are the latest"],
  views: [],
  make: "run --preset personaagent --task lamp1,lamp3 --method persona-agent --history-limit latest:10",
};

const seconds: PaperTable = {
  name: "personaagent/seconds",
  title: "seconds per sample",
  source: "public notes on the ACL 2026 version of PersonaAgent (a secondary source)",
  columns: [{ task: "lamp2m", metric: "seconds" }],
  rows: [
    row("PAG", "pag", "1.24"),
    row("PersonaAgent", "persona-agent", "1.79"),
    row("ReAct", "react", "2.61"),
    row("MemBank", "membank", "2.92"),
  ],
  samples: {},
  settings: personaagent.settings,
  preset: personaagent.preset,
  claims: [],
  caveats: [],
  notes: [
    "the notes name neither task, model nor what is timed; beside them stand our seconds on LaMP-2M",
    "ours: median time of a question, preparation of the user left out, answered from the store left out; it holds the waiting of a shared connection",
  ],
  views: [],
  make: "run --preset personaagent --task lamp2m --method pag,persona-agent,react,membank",
};

export const personaagentPaper: Paper = {
  id: "personaagent",
  title: personaagent.name,
  tables: [
    mainResults,
    ablation,
    generation,
    personaMap,
    scaling,
    backbones,
    personaSimilarity,
    agentCase,
    coldStart,
    seconds,
  ],
  absent: [
    {
      name: "personaagent/T1",
      title: "properties of approaches",
      why: "it ticks properties of approaches, and holds no measured value",
    },
    {
      name: "personaagent/Fig1",
      title: "designs of agents",
      why: "it draws designs of agents, and holds no measured value",
    },
    { name: "personaagent/settings", title: "settings", why: "it lists settings: --preset personaagent applies them" },
  ],
};
