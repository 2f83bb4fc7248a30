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

/** What PersonaAgent with GraphRAG states. */
export const graphRagSettings = { "graph-rag.kUser": 3, "graph-rag.kGlobal": 3, "graph-rag.minSim": 0.01 } as const;

/** `--preset personaagent-graphrag`: what its released configs have, and the questions of PersonaAgent. */
export const graphRagPreset = {
  name: "personaagent-graphrag",
  set: {
    "graphrag.mode": "community",
    others: "training-users",
    embedder: "onnx/sentence-transformers/all-MiniLM-L6-v2",
  },
  perTask: {
    lamp2n: { "others.users": 274 },
    lamp2m: { "others.users": 829, "data.maxQueriesPerUser": 3 },
    lamp3: { "others.users": 1000 },
  },
} as const;

/** Its settings without those that an axis of a figure varies. */
export const heldSettings = (...varied: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(personaagent.settings).filter(([name]) => !varied.includes(name)));

/** The columns of its tables 2 and 3. */
export const decisionColumns = [
  { task: "lamp1", metric: "accuracy" },
  { task: "lamp1", metric: "f1" },
  { task: "lamp2m", metric: "accuracy" },
  { task: "lamp2m", metric: "f1" },
  { task: "lamp2n", metric: "accuracy" },
  { task: "lamp2n", metric: "f1" },
  { task: "lamp3", metric: "mae" },
  { task: "lamp3", metric: "rmse" },
] as const;
