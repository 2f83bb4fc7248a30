import {
  type ArmPattern,
  type NamedModel,
  type Paper,
  type PaperColumn,
  type PaperRow,
  type PaperTable,
  type QuestionPick,
  row,
  tableMaker,
} from "./paper.js";

const TASK = "profile-questions";
const NAME = "Response-Aware User Memory Selection for LLM Personalization";

const select = (value: string | RegExp): ArmPattern => ({ options: { select: value } });
const utility = select("rums");
const binary = select(/^rums-binary:/);
const multi = select(/^rums-multi:/);
const similar: ArmPattern = { options: { select: "similar", embedder: /^(?!.*recontriever)/i } };

/** Arms as the tables name them. */
const ARMS: Readonly<Record<string, ArmPattern>> = {
  All: select("all"),
  None: select("none"),
  Random: select("random"),
  "Semantic Similarity": similar,
  "Semantic Sim.": similar,
  BM25: select("bm25"),
  ReContriever: { options: { select: "similar", embedder: /recontriever/i } },
  "GPT4-Few": select("llm-few"),
  "GPT4-FewShot": select("llm-few"),
  "GPT4-Zero": select("llm-zero"),
  "GPT4-ZeroShot": select("llm-zero"),
  "RUMS-Binary": binary,
  "RUMS-Multi": multi,
  "RUMS-Utility": utility,
  "RUMS-Subset": utility,
};

/** What `judge --against` names where a table compares with that arm: ReContriever is a method of yours. */
const againstOf = (name: string): string => {
  const { select: selector } = name === "ReContriever" ? {} : (ARMS[name]?.options ?? {});
  return selector === undefined ? name : `select=${selector}`;
};

const MODELS: readonly NamedModel[] = [
  { label: "LLaMA 70B", is: /llama.*70b/i, example: "openai/meta-llama/Llama-3.1-70B-Instruct" },
  { label: "GPT-4", is: /gpt-4/i, example: "openai/gpt-4o" },
];
/** A model of a row, whose label is what ids of it hold. */
const named = (label: string, is: RegExp): NamedModel => ({ label, is, example: label });

/** Its two halves of the data, as tables head them. */
const SETS = [
  ["Synthetic", { real: false }],
  ["Real World", { real: true }],
] as const satisfies readonly (readonly [string, QuestionPick])[];

const column = (metric: string, title: string, more: Partial<PaperColumn> = {}): PaperColumn => ({
  task: TASK,
  metric,
  title,
  group: "",
  ...more,
});
/** A column a half of the data, under its name. */
const bySet = (...metrics: readonly (readonly [metric: string, title: string, arm?: ArmPattern])[]): PaperColumn[] =>
  SETS.flatMap(([group, data]) =>
    metrics.map(([metric, title, arm]) =>
      column(metric, title, { group, data, ...(arm === undefined ? {} : { arm }) }),
    ),
  );
const scores = (prefix: string) =>
  ["Precision", "Recall", "F1"].map((title) => [`${prefix}${title.toLowerCase()}`, title] as const);

/** The four data sets as columns of tables 6, 8 and 9. */
const byDataSet = (metric: string, first: "FreebaseQA" | "PersonaFeedback"): PaperColumn[] => {
  const made = [
    column(metric, "FreebaseQA", { data: { real: false, personal: false } }),
    column(metric, "PersonaFeedback", { data: { real: false, personal: true } }),
  ];
  return [
    ...(first === "FreebaseQA" ? made : made.reverse()),
    column(metric, "WildChat-Personal", { data: { real: true, personal: true } }),
    column(metric, "WildChat-NonPersonal", { data: { real: true, personal: false } }),
  ];
};

/** Rows of arms by the names that tables have for them. */
const arms = (printed: Readonly<Record<string, string>>): PaperRow[] =>
  Object.entries(printed).map(([method, values]) => row(method, ARMS[method], values));

const LABELS =
  "the paper's profiles and people's labels are not released: name yours with --labels (lamp-eval data prepare makes the data)";

/** A table, or figure, of a config. Where it stands is read off its name: `T8` is table 8. */
const make = tableMaker("rums", NAME, {
  model:
    "Llama-3.1-8B base for utilities; GPT-4o and LLaMA 70B Instruct for choices, filters and replies; GPT-4 as judge",
  settings: {
    "rums.filterItems": 10,
    "rums.maxItems": 5,
    "rums.samples": 5,
    "rums.tokens": 20,
    "rums.temperature": 0.7,
    "rums.threshold": 0.29,
  },
  task: TASK,
  notes: [LABELS],
  labelled: true,
});
const table = (name: string, title: string, config: string, more: Partial<PaperTable>): PaperTable =>
  make(
    name,
    title,
    name
      .replace(/^T/, "table ")
      .replace(/^Fig/, name.includes("-") ? "figures " : "figure ")
      .replace("-", " to "),
    `run --config configs/${config}.yaml`,
    more,
  );

const WITH_MODELS =
  "RUMS-Binary and RUMS-Multi need --set select=rums-binary:FILE, rums-multi:FILE (of rums train, or ONNX of yours); ReContriever needs --set embedder=onnx/PATH";

/** A table made from a run of the selectors side by side. */
const selection = (name: string, title: string, more: Partial<PaperTable>): PaperTable =>
  table(name, title, "rums-selection", { partly: WITH_MODELS, ...more });

/** Net win rates: a column a kind of question, response model and variant. */
const winRates = (
  name: string,
  title: string,
  sets: readonly (readonly [string, QuestionPick])[],
  variants: readonly (readonly [string, ArmPattern])[],
  printed: Readonly<Record<string, string>>,
  more: Partial<PaperTable> = {},
): PaperTable =>
  selection(name, title, {
    columns: sets.flatMap(([set, data]) =>
      MODELS.flatMap((model) =>
        variants.map(([head, arm]) => column("win", head, { group: `${set} · ${model.label}`, data, model, arm })),
      ),
    ),
    rows: Object.entries(printed).map(([method, values]) =>
      row(method, undefined, values, { against: againstOf(method) }),
    ),
    after: ["None", "All", "Random", "Semantic Similarity", "BM25", "GPT4-Few"].map(
      (name) => `judge RUN --judge profile-pair --against ${againstOf(name)}`,
    ),
    notes: [
      "net win rate by the published rule: own reply shown first, verdicts at the 70th percentile of confidence or above; rums eval prints the one over both orders beside it",
      LABELS,
    ],
    ...more,
  });
const VARIANTS = [
  ["Binary", binary],
  ["Multi", multi],
] as const;

const SEPARATION = [
  column("utility-personal", "personal, mean"),
  column("utility-other", "other, mean"),
  column("divergence", "JS"),
  column("kolmogorov", "KS"),
];

/** Figures 4 to 11: how far utilities of the two kinds lie apart; the text prints some divergences, the pictures no numbers. */
const separation = (
  name: string,
  title: string,
  config: string,
  rows: readonly (readonly [label: string, divergence: string, more: Partial<PaperRow>])[],
  more: Partial<PaperTable> = {},
): PaperTable =>
  table(name, title, config, {
    columns: SEPARATION,
    heads: ["setting"],
    rows: rows.map(([label, divergence, pick]) => row(label, utility, `- - ${divergence} -`, pick)),
    notes: ["JS in nats over 20 equal bins: the paper states neither base nor bins", LABELS],
    ...more,
  });

const reference = (label: string, is: RegExp): Partial<PaperRow> => ({ reference: named(label, is) });
const withOptions = (options: ArmPattern["options"]): { readonly arm: ArmPattern } => ({
  arm: { options: { ...utility.options, ...options } },
});
const decoding = (temperature: number, tokens: number, samples: number): Partial<PaperRow> =>
  withOptions({ "rums.temperature": temperature, "rums.tokens": tokens, "rums.samples": samples });

/** Rows of models, each on both halves of the data; `personal`: on questions that gain alone. */
const modelRows = (
  of: "model" | "reference",
  { arm, personal }: { readonly arm: ArmPattern; readonly personal: boolean },
  models: readonly (readonly [label: string, is: RegExp, made: string, real: string])[],
): PaperRow[] =>
  models.flatMap(([label, is, ...printed]) =>
    SETS.map(([group, { real }], set) =>
      row(label, arm, printed[set]!, {
        group,
        data: personal ? { real, personal } : { real },
        [of]: named(label, is),
      }),
    ),
  );
const BY_MODEL = ["Dataset", "Model"];
const ONE_A_MODEL = "one run a reference model, each on a server that gives logprobs";

/** What one question, or each user, shows. */
const view = (name: string, title: string, config: string, command: string): PaperTable =>
  table(name, title, config, { views: [command] });

const tables: readonly PaperTable[] = [
  table("Fig2a", "utilities of personalized and other inputs", "rums-selection", {
    columns: SEPARATION,
    heads: ["method"],
    rows: arms({ "RUMS-Utility": "0.50 0.12 0.66 0.82" }),
    views: ["rums eval RUN"],
  }),
  table("Fig2b", "H1', recall and specificity of the decision to personalize", "rums-fig2b", {
    columns: bySet(["decided-recall", "Recall"], ["decided-specificity", "Specificity"]),
    transposed: true,
    heads: ["Dataset", "Metric"],
    rows: [
      ...arms({ "RUMS-Utility": "94.4% 94.4% 92.3% 96.0%" }),
      row("GPT4-Few", select("decide-few"), "100.0% 50.0% 76.9% 100.0%"),
      row("GPT4-Zero", select("decide-zero"), "33.3% 50.0% 53.9% 100.0%"),
      ...arms({ "Semantic Similarity": "100.0% 0.0% 7.7% 100.0%" }),
    ],
    partly:
      "10 profiles and 10 samples, as many as the data have; the threshold is the run's (rums train --threshold finds one)",
  }),
  selection("T1", "H2, precision, recall and F1 of the chosen items", {
    columns: bySet(...scores("items-")),
    transposed: true,
    heads: ["Dataset", "Metric"],
    rows: arms({
      "RUMS-Subset": "0.61 0.70 0.70 0.48 0.36 0.53",
      "RUMS-Binary": "0.60 0.89 0.78 0.32 0.60 0.45",
      "RUMS-Multi": "0.23 0.39 0.31 0.30 0.38 0.35",
      "Semantic Sim.": "0.09 0.23 0.14 0.17 0.27 0.20",
      "GPT4-Zero": "0.26 0.42 0.35 0.39 0.52 0.43",
      "GPT4-Few": "0.53 0.65 0.64 0.42 0.39 0.39",
    }),
  }),
  winRates("T2", "H3, net win rates of generation", SETS, [["Utility", utility], ...VARIANTS], {
    None: "0.11 0.25 -0.13 0.20 0.26 0.36 -0.05 0.05 0.03 0.10 0.20 0.17",
    All: "0.18 0.16 -0.19 0.20 -0.16 0.02 0.03 -0.04 -0.10 -0.14 -0.14 -0.06",
    Random: "0.44 0.34 0.13 0.10 0.06 0.19 0.25 0.11 0.13 0.05 0.10 0.04",
    "Semantic Similarity": "0.43 0.27 0.09 -0.12 -0.03 0.05 0.16 -0.03 0.00 -0.06 -0.02 0.00",
    BM25: "0.03 0.19 -0.13 0.18 0.20 0.32 0.06 0.01 0.05 0.10 0.18 0.13",
    ReContriever: "0.31 0.27 -0.03 -0.05 -0.04 0.03 0.22 0.06 0.01 0.07 -0.05 0.13",
    "GPT4-Few": "0.07 0.18 -0.16 -0.07 -0.09 -0.01 0.01 0.00 -0.08 -0.08 0.04 0.11",
  }),
  selection("Fig3a", "items chosen on average", {
    columns: SETS.map(([title, data]) => column("items", title, { data })),
    rows: arms({
      All: "50.00 50.00",
      None: "0.00 0.00",
      Random: "5.00 5.00",
      "Semantic Similarity": "4.63 4.79",
      BM25: "0.60 0.35",
      ReContriever: "5.00 5.00",
      "GPT4-Few": "2.80 3.00",
      "RUMS-Binary": "1.58 2.22",
    }),
  }),
  selection(
    "Fig3b",
    "added monthly cost: extra tokens at $.01 per 1,000, a million questions a day, thousand dollars",
    {
      columns: [column("monthly-cost", "$1,000 a month"), column("select-tokens", "tokens of choosing")],
      rows: arms({
        All: "165.3 -",
        None: "0 -",
        Random: "- -",
        "Semantic Similarity": "- -",
        BM25: "- -",
        ReContriever: "18.6 -",
        "GPT4-Few": "- -",
        "RUMS-Binary": "6.9 -",
        "RUMS-Multi": "8.4 -",
        "RUMS-Utility": "- -",
      }),
      notes: ["choosing itself costs too, and a user pays it: its tokens a question stand beside, unpriced", LABELS],
    },
  ),
  winRates(
    "T3",
    "net win rates of items that people chose",
    [["All", {}]],
    [["Human Win Rate", select(/^file:/)]],
    {
      None: "0.31 0.16",
      All: "0.28 -0.26",
      Random: "0.42 0.06",
      "Semantic Similarity": "0.38 0.01",
      BM25: "0.18 0.26",
      ReContriever: "0.52 0.01",
      "GPT4-Few": "0.27 0.01",
      "RUMS-Binary": "0.01 -0.05",
      "RUMS-Multi": "0.39 0.02",
    },
    { partly: "the arm select=file:LABELS shows the items that people named; the labels are yours" },
  ),
  selection("T4", "RUMS-Models against the items that RUMS-Utility chose for most profiles", {
    columns: bySet(...scores("utility-")),
    transposed: true,
    heads: ["Dataset", "Metric"],
    rows: arms({ "RUMS-Binary": "0.73 0.90 0.78 0.26 0.42 0.32", "RUMS-Multi": "0.33 0.44 0.37 0.35 0.35 0.34" }),
  }),
  selection("Fig12-15", "utilities of items that RUMS-Models include and exclude", {
    columns: ["included", "excluded", "apart"].map((part) => column(`utility-${part}`, part)),
    rows: arms({ "RUMS-Binary": "- - -", "RUMS-Multi": "- - -" }),
    partly: `single utilities come from an arm with rums.search=singletons or greedy in the same run; ${WITH_MODELS}`,
  }),
  table("T5", "gaps between sets and their items", "rums-t5", {
    columns: [
      column("gap-subset", "Subset Gap", { arm: utility }),
      column("gap-sequential", "Sequential Gap", { arm: utility }),
    ],
    heads: ["Dataset"],
    rows: [
      row("Synthetic", utility, "0.23 0.11", { data: { real: false, personal: true } }),
      row("Real World", utility, "1.01 0.09", { data: { real: true, personal: true } }),
    ],
    notes: [
      "the paper does not say what normalizes the first, nor in which order the second goes: ours is U(S), and the order in which a forward search took the items",
      LABELS,
    ],
  }),
  table("T6", "items by threshold", "rums-t6", {
    columns: byDataSet("items", "PersonaFeedback"),
    heads: ["Threshold"],
    rows: [
      row("-100", utility, "2.76 1.83 2.77 2.70", withOptions({ "rums.threshold": -100 })),
      row("0.00", utility, "2.76 1.56 2.73 2.57", withOptions({ "rums.threshold": 0 })),
      row("0.29", utility, "2.43 0.21 1.31 1.38", withOptions({ "rums.threshold": 0.29 })),
      row("0.50", utility, "1.11 0.00 0.29 0.27", withOptions({ "rums.threshold": 0.5 })),
      row("0.80", utility, "0.14 0.00 0.00 0.00", withOptions({ "rums.threshold": 0.8 })),
    ],
  }),
  selection("T8", "items by data set", {
    columns: byDataSet("items", "FreebaseQA"),
    rows: arms({
      All: "50 50 50 50",
      None: "0 0 0 0",
      Random: "5 5 5 5",
      "Semantic Similarity": "4.71 4.54 4.84 4.74",
      BM25: "0.39 0.81 0.28 0.42",
      ReContriever: "5 5 5 5",
      "GPT4-Few": "1.21 4.39 3.90 2.10",
      "RUMS-Binary": "0.02 3.14 2.80 1.64",
      "RUMS-Multi": "1.45 3.58 2.36 1.76",
      "RUMS-Utility": "- - - -",
    }),
  }),
  selection("T9", "extra prompt tokens of the answer", {
    columns: byDataSet("extra-tokens", "FreebaseQA"),
    rows: arms({
      All: "551.59 551.28 552.16 550.40",
      None: "0 0 0 0",
      Random: "54.87 54.98 54.34 54.20",
      "Semantic Similarity": "48.04 51.44 53.04 49.58",
      BM25: "1.48 8.95 3.20 4.86",
      ReContriever: "60.87 62.93 61.22 61.72",
      "GPT4-Few": "12.96 49.31 46.02 23.58",
      "RUMS-Binary": "0.23 37.39 34.88 19.10",
      "RUMS-Multi": "13.88 45.34 30.90 21.08",
      "RUMS-Utility": "- - - -",
    }),
  }),
  selection("T10", "seconds of a question", {
    columns: [column("select-seconds", "Average Time (s)")],
    rows: arms({
      All: "0.0",
      None: "0.0",
      Random: "0.0",
      "Semantic Similarity": "0.21",
      BM25: "0.01",
      ReContriever: "0.08",
      "GPT4-Few": "1.22",
      "RUMS-Binary": "0.14",
      "RUMS-Multi": "0.04",
      "RUMS-Utility": "7.28",
    }),
    notes: ["ours: mean seconds of a question beyond those of select=none, on the machine and server at hand", LABELS],
  }),
  table("T12", "H1' with another reference model", "rums-fig4-6", {
    columns: [column("decided-recall", "Recall"), column("decided-specificity", "Specificity")],
    heads: BY_MODEL,
    rows: modelRows("reference", { arm: utility, personal: false }, [
      ["Llama-7B", /llama/i, "0.94 0.94", "0.92 0.96"],
      ["Mistral-7B", /mistral/i, "0.83 0.88", "0.92 0.77"],
    ]),
    partly: ONE_A_MODEL,
  }),
  table("T14", "H2 with another reference model", "rums-fig4-6", {
    columns: scores("items-").map(([metric, title]) => column(metric, title)),
    heads: BY_MODEL,
    rows: modelRows("reference", { arm: utility, personal: false }, [
      ["Llama-7B", /llama/i, "0.61 0.70 0.70", "0.48 0.36 0.53"],
      ["Mistral-7B", /mistral/i, "0.61 0.62 0.69", "0.61 0.30 0.69"],
    ]),
    partly: ONE_A_MODEL,
  }),
  table(
    "T16",
    "models as filters: what they let through beside what people chose, personalized questions",
    "rums-t16",
    {
      columns: scores("filter-").map(([metric, title]) => column(metric, title)),
      heads: BY_MODEL,
      rows: modelRows("model", { arm: withOptions({ "rums.filter": "llm" }).arm, personal: true }, [
        ["GPT-4", /gpt-4/i, "0.24 0.77 0.49", "0.46 0.70 0.59"],
        ["Llama-70B", /llama.*70b/i, "0.23 0.74 0.47", "0.41 0.69 0.53"],
        ["Qwen-72B", /qwen.*72b/i, "0.21 0.74 0.45", "0.44 0.67 0.55"],
        ["Gemma-27B", /gemma.*27b/i, "0.22 0.66 0.45", "0.48 0.64 0.56"],
      ]).sort((one, other) => (other.group ?? "").localeCompare(one.group ?? "")),
      notes: ["k is 5 here: rums.filterItems=5", LABELS],
    },
  ),
  table("Fig16-23", "agreement and F1 of the decision to personalize, by threshold", "rums-t6", {
    columns: bySet(["decided-agreement", "Agreement", utility], ["decided-f1", "F1", utility]),
    heads: ["Threshold"],
    rows: Array.from({ length: 11 }, (_, tenth) =>
      row((tenth / 10).toFixed(1), undefined, "- - - -", { threshold: tenth / 10 }),
    ),
  }),
  winRates(
    "T20",
    "net win rates on synthetic data, by kind of input",
    [
      ["Non-personalized", { real: false, personal: false }],
      ["Personalized", { real: false, personal: true }],
    ],
    VARIANTS,
    {
      None: "-0.03 -0.79 0.02 0.00 0.52 0.53 0.50 0.72",
      All: "0.45 -0.24 0.00 0.02 -0.14 -0.14 -0.31 0.01",
      Random: "0.50 -0.12 -0.03 -0.01 0.18 0.37 0.15 0.39",
      "Semantic Similarity": "0.60 0.01 0.02 0.00 -0.06 0.17 -0.07 0.09",
      BM25: "0.12 -0.66 -0.02 0.01 0.25 0.40 0.42 0.40",
      ReContriever: "0.62 -0.14 0.01 0.03 -0.09 0.09 -0.09 0.09",
      "GPT4-Few": "0.42 -0.34 0.00 0.01 -0.07 0.03 -0.17 0.03",
    },
  ),
  winRates(
    "T21",
    "net win rates on real-world data, by kind of input",
    [
      ["Non-personalized", { real: true, personal: false }],
      ["Personalized", { real: true, personal: true }],
    ],
    VARIANTS,
    {
      None: "-0.36 -0.64 -0.12 -0.26 0.46 0.70 0.52 0.60",
      All: "0.08 -0.14 -0.14 -0.16 -0.16 -0.04 -0.14 0.04",
      Random: "-0.02 -0.06 -0.06 -0.26 0.24 0.42 0.26 0.34",
      "Semantic Similarity": "0.04 -0.02 -0.02 -0.12 -0.10 0.00 -0.02 0.12",
      BM25: "-0.40 -0.16 -0.16 -0.26 0.42 0.58 0.52 0.52",
      ReContriever: "0.12 0.04 0.04 0.02 0.00 0.24 -0.14 0.24",
      "GPT4-Few": "0.08 0.12 0.12 -0.02 -0.08 -0.04 -0.04 -0.04",
    },
  ),
  table("T23", "thresholds of the similarity baseline with most agreement on who is personalized", "rums-t23", {
    columns: [column("best-above", "Threshold", { arm: similar })],
    heads: ["Dataset"],
    rows: [
      row("All", similar, "-1.0", { data: {} }),
      row("Synthetic", similar, "-1.0", { data: { real: false } }),
      row("Real World", similar, "0.5", { data: { real: true } }),
    ],
  }),
  selection("T25", "items, personalized and not", {
    columns: [
      column("items", "Personalized", { data: { personal: true } }),
      column("items", "Not-Personalized", { data: { personal: false } }),
      column("items-difference", "Difference"),
    ],
    rows: [
      row("Human Annotation", undefined, "6.45 1.43 5.02", { people: true }),
      ...arms({
        "RUMS-Utility": "1.87 0.80 1.07",
        "RUMS-Binary": "4.87 1.56 3.31",
        "RUMS-Multi": "3.27 1.67 1.60",
        "Semantic Similarity": "5.00 5.00 0.00",
        "GPT4-ZeroShot": "3.30 2.61 0.69",
        "GPT4-FewShot": "1.80 1.57 0.23",
      }),
    ],
  }),
  view("T7", "examples of chosen items", "rums-selection", "show RUN --question QUESTION"),
  view("Fig24", "a threshold for each user", "rums-t6", "rums train RUN --threshold"),
  separation("Fig4-6", "base and instructed models, sizes, families", "rums-fig4-6", [
    ["LLaMA-8B base", "0.56", reference("LLaMA-8B", /llama.*8b(?!.*instruct)/i)],
    ["LLaMA-8B instruct", "0.32", reference("LLaMA-8B instruct", /llama.*8b.*instruct/i)],
    ["LLaMA-1B", "0.45", reference("LLaMA-1B", /llama.*1b/i)],
    ["Mistral-7B", "0.41", reference("Mistral-7B", /mistral.*7b/i)],
    ["Gemma-9B", "0.17", reference("Gemma-9B", /gemma.*9b/i)],
  ]),
  separation(
    "Fig7-10",
    "decoding, number of tokens, number of samples",
    "rums-fig7-10",
    [
      ["sampled, 20 tokens, 1 sample", "0.56", decoding(0.7, 20, 1)],
      ["greedy", "-", decoding(0, 20, 1)],
      ["100 tokens", "0.38", decoding(0.7, 100, 1)],
      ["5 samples", "-", decoding(0.7, 20, 5)],
      ["10 samples", "-", decoding(0.7, 20, 10)],
    ],
    { make: "sweep scaling --config configs/rums-fig7-10.yaml" },
  ),
  separation("Fig11", "number of profiles", "rums-fig11", [
    ["1 profile", "-", { profiles: 1 }],
    ["5 profiles", "-", { profiles: 5 }],
    ["10 profiles", "-", { profiles: 10 }],
  ]),
];

export const rumsPaper: Paper = {
  id: "rums",
  title: `${NAME} (RUMS)`,
  tables,
  absent: {
    text: "numbers of its text: they are settings, --preset rums applies them",
    Fig1: "overview: it is a drawing, and holds no measured value",
    Fig8: "entropy by place of the token: it needs 10,000 OpenAssistant replies, which no run here asks for",
    T11: "win rate by people: it is a study with people, which no program makes",
    T13: "lower caption of table 12: its numbers are those of rums/T12",
    T15: "lower caption of table 14: its numbers are those of rums/T14",
    T17: "lower caption of table 16: its numbers are those of rums/T16",
    T18: "agreement of filters: its numbers stand under table 19; it needs four models and people on labels that are not released",
    T19: "overlap of the ten items chosen most: it needs four models and people on labels that are not released",
    T22: "kinds of selection: it is sorted by hand against four people",
    T24: "sizes of models: it counts parameters, and measures nothing",
    Fig25: "monthly cost: it is the bars of rums/Fig3b",
    "Fig26-75": "values of the profiles: the paper's 100 profiles are not released; give your own",
  },
  contradictions: [
    "Fig2b: 94.4 % is a share of 18, 92.3 % of 13 and 96.0 % of 25; its n are 20 and 31",
    '"+7 % recall, +15 % specificity" over GPT4-Few: the means of Fig2b differ by 4.9 and 20.2 points',
    "the reference model is Llama-3.1-8B, Llama-8B and Llama-7B; the filter keeps up to 10 (F.5) and up to 5 (A.11) items",
    "T1: F1 .53 with precision .48 and recall .36 is no F1 of these: means by sample, none against none being 1, can be",
    "T21, left: the column GPT-4, RUMS-Binary repeats LLaMA 70B, RUMS-Multi in six of seven rows",
    "the few-shot prompt of H1 asks for the capital of Austin, Texas",
    "neither the base of the logarithm nor the bins of the divergence are stated",
  ],
};
