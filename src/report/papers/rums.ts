import type { ArmPattern, NamedModel, Paper, PaperColumn, PaperRow, PaperTable, QuestionPick } from "./paper.js";

const TASK = "profile-questions";

const select = (value: string | RegExp): ArmPattern => ({ options: { select: value } });
const utility = select("rums");
const binary = select(/^rums-binary:/);
const multi = select(/^rums-multi:/);
const few = select("llm-few");
const zero = select("llm-zero");
const similar: ArmPattern = { options: { select: "similar", embedder: /^(?!.*recontriever)/i } };
const reContriever: ArmPattern = { options: { select: "similar", embedder: /recontriever/i } };

/** Arms as the tables name them. */
const ARMS: Readonly<Record<string, ArmPattern>> = {
  All: select("all"),
  None: select("none"),
  Random: select("random"),
  "Semantic Similarity": similar,
  BM25: select("bm25"),
  ReContriever: reContriever,
  "GPT4-Few": few,
  "RUMS-Binary": binary,
  "RUMS-Multi": multi,
  "RUMS-Utility": utility,
};

/** What `judge --against` names where a table compares with that arm. */
const AGAINST: Readonly<Record<string, string>> = {
  None: "select=none",
  All: "select=all",
  Random: "select=random",
  "Semantic Similarity": "select=similar",
  BM25: "select=bm25",
  "GPT4-Few": "select=llm-few",
};

const synthetic: QuestionPick = { real: false };
const realWorld: QuestionPick = { real: true };
const MODELS: readonly NamedModel[] = [
  { label: "LLaMA 70B", is: /llama.*70b/i, example: "openai/meta-llama/Llama-3.1-70B-Instruct" },
  { label: "GPT-4", is: /gpt-4/i, example: "openai/gpt-4o" },
];

const column = (metric: string, more: Partial<PaperColumn> = {}): PaperColumn => ({ task: TASK, metric, ...more });
const printedRow = (method: string, printed: string, more: Partial<PaperRow> = {}): PaperRow => ({
  method,
  printed: printed.split(" "),
  ...more,
});
/** A row of the arm that the table names. */
const armRow = (method: string, printed: string): PaperRow => printedRow(method, printed, { arm: ARMS[method]! });

/** The four data sets as columns of tables 8 and 9. */
const byDataSet = (metric: string, first: "FreebaseQA" | "PersonaFeedback"): PaperColumn[] => {
  const freebase = column(metric, { title: "FreebaseQA", group: "", data: { real: false, personal: false } });
  const feedback = column(metric, { title: "PersonaFeedback", group: "", data: { real: false, personal: true } });
  return [
    ...(first === "FreebaseQA" ? [freebase, feedback] : [feedback, freebase]),
    column(metric, { title: "WildChat-Personal", group: "", data: { real: true, personal: true } }),
    column(metric, { title: "WildChat-NonPersonal", group: "", data: { real: true, personal: false } }),
  ];
};

const twoSets = (of: (group: string, data: QuestionPick) => readonly PaperColumn[]): PaperColumn[] => [
  ...of("Synthetic", synthetic),
  ...of("Real World", realWorld),
];
const scores = (group: string, data: QuestionPick, prefix = "items-"): PaperColumn[] =>
  ["Precision", "Recall", "F1"].map((title) => column(`${prefix}${title.toLowerCase()}`, { group, title, data }));

/** What all tables share. */
const common = {
  model:
    "Llama-3.1-8B base for utilities; GPT-4o and LLaMA 70B Instruct for choices, filters and replies; GPT-4 as judge",
  samples: {},
  settings: {
    "rums.filterItems": 10,
    "rums.maxItems": 5,
    "rums.samples": 5,
    "rums.tokens": 20,
    "rums.temperature": 0.7,
    "rums.threshold": 0.29,
  },
  claims: [],
  caveats: [],
  notes: [
    "the paper's profiles and people's labels are not released: name yours with --labels (lamp-eval rums questions makes the data)",
  ],
  views: [],
  labelled: true,
} as const;

const source = (what: string): string => `Response-Aware User Memory Selection for LLM Personalization, ${what}`;
const run = (config: string): string => `run --config configs/${config}.yaml`;
const judged = Object.values(AGAINST).map((against) => `judge RUN --judge profile-pair --against ${against}`);
const WITH_MODELS =
  "rows of RUMS-Binary and RUMS-Multi need --set select=rums-binary:FILE and rums-multi:FILE: a DeBERTa of yours as ONNX, or the small classifiers of lamp-eval rums train; ReContriever needs --set embedder=onnx/PATH";

/** A table made from a run of the selectors side by side. */
const ofSelection = (
  name: string,
  title: string,
  more: Pick<PaperTable, "columns" | "rows"> & Partial<PaperTable>,
): PaperTable => ({
  ...common,
  name: `rums/${name}`,
  title,
  source: source(name.replace(/^T/, "table ").replace(/^Fig/, "figure ")),
  make: run("rums-selection"),
  partly: WITH_MODELS,
  ...more,
});

/** Tables 2, 20 and 21: a column a data set, response model and variant. */
const winColumns = (
  sets: readonly (readonly [string, QuestionPick])[],
  variants: readonly (readonly [string, ArmPattern])[],
): PaperColumn[] =>
  sets.flatMap(([set, data]) =>
    MODELS.flatMap((model) =>
      variants.map(([title, arm]) => column("win", { group: `${set} · ${model.label}`, title, data, model, arm })),
    ),
  );
const winRows = (...rows: readonly (readonly [string, string])[]): PaperRow[] =>
  rows.map(([method, printed]) => printedRow(method, printed, { against: AGAINST[method] ?? method }));

const winRates = (
  name: string,
  title: string,
  columns: readonly PaperColumn[],
  rows: readonly PaperRow[],
): PaperTable =>
  ofSelection(name, title, {
    columns,
    rows,
    after: judged,
    notes: [
      "net win rate by the published rule: own reply shown first, verdicts at the 70th percentile of confidence or above; rums eval prints the one over both orders beside it",
      ...common.notes,
    ],
  });

const VARIANTS = [
  ["Binary", binary],
  ["Multi", multi],
] as const;

const h1 = (metric: string, title: string): PaperColumn => column(metric, { title, group: "" });
const SEPARATION = [
  h1("utility-personal", "personal, mean"),
  h1("utility-other", "other, mean"),
  h1("divergence", "JS"),
  h1("kolmogorov", "KS"),
];

/** Figures 4 to 11: how far utilities of the two kinds lie apart; the text prints some divergences, the pictures no numbers. */
const separation = (
  name: string,
  title: string,
  make: string,
  rows: readonly (readonly [label: string, divergence: string, more: Partial<PaperRow>])[],
): PaperTable => ({
  ...common,
  name: `rums/${name}`,
  title,
  source: source(`figure ${name.slice(3)} and A.1`),
  columns: SEPARATION,
  heads: ["setting"],
  rows: rows.map(([label, divergence, more]) => printedRow(label, `- - ${divergence} -`, { arm: utility, ...more })),
  make,
  notes: ["JS in nats over 20 equal bins: the paper states neither base nor bins", ...common.notes],
});

const reference = (label: string, is: RegExp): Partial<PaperRow> => ({ reference: { label, is, example: label } });

const withOption = (name: string, value: string | number | RegExp): Partial<PaperRow> => ({
  arm: { options: { ...utility.options, [name]: value } },
});

const THRESHOLDS = Array.from({ length: 11 }, (_, tenth) => tenth / 10);

const tables: readonly PaperTable[] = [
  ofSelection("Fig2a", "utilities of personalized and other inputs", {
    columns: SEPARATION,
    heads: ["method"],
    rows: [printedRow("RUMS-Utility", "0.50 0.12 0.66 0.82", { arm: utility })],
  }),
  {
    ...ofSelection("Fig2b", "H1', recall and specificity of the decision to personalize", {
      columns: twoSets((group, data) => [
        column("decided-recall", { group, title: "Recall", data }),
        column("decided-specificity", { group, title: "Specificity", data }),
      ]),
      transposed: true,
      heads: ["Dataset", "Metric"],
      rows: [
        armRow("RUMS-Utility", "94.4% 94.4% 92.3% 96.0%"),
        printedRow("GPT4-Few", "100.0% 50.0% 76.9% 100.0%", { arm: select("decide-few") }),
        printedRow("GPT4-Zero", "33.3% 50.0% 53.9% 100.0%", { arm: select("decide-zero") }),
        armRow("Semantic Similarity", "100.0% 0.0% 7.7% 100.0%"),
      ],
    }),
    make: run("rums-fig2b"),
    partly:
      "10 profiles and 10 samples, as many as the data have; the threshold is the run's (rums calibrate finds one)",
  },
  ofSelection("T1", "H2, precision, recall and F1 of the chosen items", {
    columns: twoSets(scores),
    transposed: true,
    heads: ["Dataset", "Metric"],
    rows: [
      printedRow("RUMS-Subset", "0.61 0.70 0.70 0.48 0.36 0.53", { arm: utility }),
      armRow("RUMS-Binary", "0.60 0.89 0.78 0.32 0.60 0.45"),
      armRow("RUMS-Multi", "0.23 0.39 0.31 0.30 0.38 0.35"),
      printedRow("Semantic Sim.", "0.09 0.23 0.14 0.17 0.27 0.20", { arm: similar }),
      printedRow("GPT4-Zero", "0.26 0.42 0.35 0.39 0.52 0.43", { arm: zero }),
      armRow("GPT4-Few", "0.53 0.65 0.64 0.42 0.39 0.39"),
    ],
  }),
  winRates(
    "T2",
    "H3, net win rates of generation",
    winColumns(
      [
        ["Synthetic", synthetic],
        ["Real World", realWorld],
      ],
      [["Utility", utility], ...VARIANTS],
    ),
    winRows(
      ["None", "0.11 0.25 -0.13 0.20 0.26 0.36 -0.05 0.05 0.03 0.10 0.20 0.17"],
      ["All", "0.18 0.16 -0.19 0.20 -0.16 0.02 0.03 -0.04 -0.10 -0.14 -0.14 -0.06"],
      ["Random", "0.44 0.34 0.13 0.10 0.06 0.19 0.25 0.11 0.13 0.05 0.10 0.04"],
      ["Semantic Similarity", "0.43 0.27 0.09 -0.12 -0.03 0.05 0.16 -0.03 0.00 -0.06 -0.02 0.00"],
      ["BM25", "0.03 0.19 -0.13 0.18 0.20 0.32 0.06 0.01 0.05 0.10 0.18 0.13"],
      ["ReContriever", "0.31 0.27 -0.03 -0.05 -0.04 0.03 0.22 0.06 0.01 0.07 -0.05 0.13"],
      ["GPT4-Few", "0.07 0.18 -0.16 -0.07 -0.09 -0.01 0.01 0.00 -0.08 -0.08 0.04 0.11"],
    ),
  ),
  ofSelection("Fig3a", "items chosen on average", {
    columns: twoSets((title, data) => [column("items", { title, group: "", data })]),
    rows: [
      armRow("All", "50.00 50.00"),
      armRow("None", "0.00 0.00"),
      armRow("Random", "5.00 5.00"),
      armRow("Semantic Similarity", "4.63 4.79"),
      armRow("BM25", "0.60 0.35"),
      armRow("ReContriever", "5.00 5.00"),
      armRow("GPT4-Few", "2.80 3.00"),
      armRow("RUMS-Binary", "1.58 2.22"),
    ],
  }),
  ofSelection(
    "Fig3b",
    "added monthly cost: extra tokens at $.01 per 1,000, a million questions a day, thousand dollars",
    {
      columns: [
        column("monthly-cost", { title: "$1,000 a month", group: "" }),
        h1("select-tokens", "tokens of choosing"),
      ],
      rows: [
        armRow("All", "165.3 -"),
        armRow("None", "0 -"),
        armRow("Random", "- -"),
        armRow("Semantic Similarity", "- -"),
        armRow("BM25", "- -"),
        armRow("ReContriever", "18.6 -"),
        armRow("GPT4-Few", "- -"),
        armRow("RUMS-Binary", "6.9 -"),
        armRow("RUMS-Multi", "8.4 -"),
        armRow("RUMS-Utility", "- -"),
      ],
      notes: [
        "choosing itself costs too, and a user pays it: its tokens a question stand beside, unpriced",
        ...common.notes,
      ],
    },
  ),
  {
    ...winRates(
      "T3",
      "net win rates of items that people chose",
      winColumns([["", {}]], [["Human Win Rate", select(/^file:/)]]),
      winRows(
        ["None", "0.31 0.16"],
        ["All", "0.28 -0.26"],
        ["Random", "0.42 0.06"],
        ["Semantic Similarity", "0.38 0.01"],
        ["BM25", "0.18 0.26"],
        ["ReContriever", "0.52 0.01"],
        ["GPT4-Few", "0.27 0.01"],
        ["RUMS-Binary", "0.01 -0.05"],
        ["RUMS-Multi", "0.39 0.02"],
      ),
    ),
    partly: "the arm select=file:LABELS shows the items that people named; the labels are yours",
  },
  ofSelection("T4", "RUMS-Models against the items that RUMS-Utility chose for most profiles", {
    columns: twoSets((group, data) => scores(group, data, "utility-")),
    transposed: true,
    heads: ["Dataset", "Metric"],
    rows: [
      armRow("RUMS-Binary", "0.73 0.90 0.78 0.26 0.42 0.32"),
      armRow("RUMS-Multi", "0.33 0.44 0.37 0.35 0.35 0.34"),
    ],
  }),
  ofSelection("Fig12-15", "utilities of items that RUMS-Models include and exclude", {
    columns: ["included", "excluded", "apart"].map((part) => h1(`utility-${part}`, part)),
    rows: [armRow("RUMS-Binary", "- - -"), armRow("RUMS-Multi", "- - -")],
    partly: `single utilities come from an arm with rums.search=singletons or greedy in the same run; ${WITH_MODELS}`,
  }),
  {
    ...common,
    name: "rums/T5",
    title: "gaps between sets and their items",
    source: source("table 5"),
    columns: [
      column("gap-subset", { title: "Subset Gap", group: "", arm: utility }),
      column("gap-sequential", { title: "Sequential Gap", group: "", arm: utility }),
    ],
    heads: ["Dataset"],
    rows: [
      printedRow("Synthetic", "0.23 0.11", { data: { real: false, personal: true } }),
      printedRow("Real World", "1.01 0.09", { data: { real: true, personal: true } }),
    ],
    make: run("rums-t5"),
    notes: [
      "the paper does not say what normalizes the first, nor in which order the second goes: ours is U(S), and the order in which a forward search took the items",
      ...common.notes,
    ],
  },
  {
    ...common,
    name: "rums/T6",
    title: "items by threshold",
    source: source("table 6"),
    columns: byDataSet("items", "PersonaFeedback"),
    heads: ["Threshold"],
    rows: [
      printedRow("-100", "2.76 1.83 2.77 2.70", withOption("rums.threshold", -100)),
      printedRow("0.00", "2.76 1.56 2.73 2.57", withOption("rums.threshold", 0)),
      printedRow("0.29", "2.43 0.21 1.31 1.38", withOption("rums.threshold", 0.29)),
      printedRow("0.50", "1.11 0.00 0.29 0.27", withOption("rums.threshold", 0.5)),
      printedRow("0.80", "0.14 0.00 0.00 0.00", withOption("rums.threshold", 0.8)),
    ],
    make: run("rums-t6"),
  },
  ofSelection("T8", "items by data set", {
    columns: byDataSet("items", "FreebaseQA"),
    rows: [
      armRow("All", "50 50 50 50"),
      armRow("None", "0 0 0 0"),
      armRow("Random", "5 5 5 5"),
      armRow("Semantic Similarity", "4.71 4.54 4.84 4.74"),
      armRow("BM25", "0.39 0.81 0.28 0.42"),
      armRow("ReContriever", "5 5 5 5"),
      armRow("GPT4-Few", "1.21 4.39 3.90 2.10"),
      armRow("RUMS-Binary", "0.02 3.14 2.80 1.64"),
      armRow("RUMS-Multi", "1.45 3.58 2.36 1.76"),
      armRow("RUMS-Utility", "- - - -"),
    ],
  }),
  ofSelection("T9", "extra prompt tokens of the answer", {
    columns: byDataSet("extra-tokens", "FreebaseQA"),
    rows: [
      armRow("All", "551.59 551.28 552.16 550.40"),
      armRow("None", "0 0 0 0"),
      armRow("Random", "54.87 54.98 54.34 54.20"),
      armRow("Semantic Similarity", "48.04 51.44 53.04 49.58"),
      armRow("BM25", "1.48 8.95 3.20 4.86"),
      armRow("ReContriever", "60.87 62.93 61.22 61.72"),
      armRow("GPT4-Few", "12.96 49.31 46.02 23.58"),
      armRow("RUMS-Binary", "0.23 37.39 34.88 19.10"),
      armRow("RUMS-Multi", "13.88 45.34 30.90 21.08"),
      armRow("RUMS-Utility", "- - - -"),
    ],
  }),
  ofSelection("T10", "seconds of a question", {
    columns: [h1("select-seconds", "Average Time (s)")],
    rows: [
      armRow("All", "0.0"),
      armRow("None", "0.0"),
      armRow("Random", "0.0"),
      armRow("Semantic Similarity", "0.21"),
      armRow("BM25", "0.01"),
      armRow("ReContriever", "0.08"),
      armRow("GPT4-Few", "1.22"),
      armRow("RUMS-Binary", "0.14"),
      armRow("RUMS-Multi", "0.04"),
      armRow("RUMS-Utility", "7.28"),
    ],
    notes: [
      "ours: mean seconds of a question beyond those of select=none, on the machine and server at hand",
      ...common.notes,
    ],
  }),
  {
    ...common,
    name: "rums/T12",
    title: "H1' with another reference model",
    source: source("table 12 (its lower caption is table 13)"),
    columns: [
      column("decided-recall", { title: "Recall", group: "", arm: utility }),
      column("decided-specificity", { title: "Specificity", group: "", arm: utility }),
    ],
    heads: ["Dataset", "Model"],
    rows: referenceRows("0.94 0.94", "0.92 0.96", "0.83 0.88", "0.92 0.77"),
    make: run("rums-fig4-6"),
    partly: "one run a reference model, each on a server that gives logprobs",
  },
  {
    ...common,
    name: "rums/T14",
    title: "H2 with another reference model",
    source: source("table 14 (its lower caption is table 15)"),
    columns: scores("", {}).map((one) => ({ ...one, arm: utility })),
    heads: ["Dataset", "Model"],
    rows: referenceRows("0.61 0.70 0.70", "0.48 0.36 0.53", "0.61 0.62 0.69", "0.61 0.30 0.69"),
    make: run("rums-fig4-6"),
    partly: "one run a reference model, each on a server that gives logprobs",
  },
  {
    ...common,
    name: "rums/T16",
    title: "models as filters: what they let through beside what people chose, personalized questions",
    source: source("table 16 (its lower caption is table 17)"),
    columns: scores("", {}, "filter-").map((one) => ({
      ...one,
      arm: { options: { ...utility.options, "rums.filter": "llm" } },
    })),
    heads: ["Dataset", "Model"],
    rows: [
      ["GPT-4", /gpt-4/i, "0.24 0.77 0.49", "0.46 0.70 0.59"] as const,
      ["Llama-70B", /llama.*70b/i, "0.23 0.74 0.47", "0.41 0.69 0.53"] as const,
      ["Qwen-72B", /qwen.*72b/i, "0.21 0.74 0.45", "0.44 0.67 0.55"] as const,
      ["Gemma-27B", /gemma.*27b/i, "0.22 0.66 0.45", "0.48 0.64 0.56"] as const,
    ]
      .flatMap(([label, is, made, real]) => {
        const model = { label, is, example: label };
        return [
          printedRow(label, made, { group: "Synthetic", data: { real: false, personal: true }, model }),
          printedRow(label, real, { group: "Real World", data: { real: true, personal: true }, model }),
        ];
      })
      .sort((one, other) => (one.group === other.group ? 0 : one.group === "Synthetic" ? -1 : 1)),
    make: run("rums-t16"),
    notes: ["k is 5 here: rums.filterItems=5", ...common.notes],
  },
  {
    ...common,
    name: "rums/Fig16-23",
    title: "agreement and F1 of the decision to personalize, by threshold",
    source: source("figures 16 to 23"),
    columns: twoSets((group, data) => [
      column("decided-agreement", { group, title: "Agreement", data, arm: utility }),
      column("decided-f1", { group, title: "F1", data, arm: utility }),
    ]),
    heads: ["Threshold"],
    rows: THRESHOLDS.map((threshold) => printedRow(threshold.toFixed(1), "- - - -", { threshold })),
    make: run("rums-t6"),
  },
  winRates(
    "T20",
    "net win rates on synthetic data, by kind of input",
    winColumns(
      [
        ["Non-personalized", { real: false, personal: false }],
        ["Personalized", { real: false, personal: true }],
      ],
      VARIANTS,
    ),
    winRows(
      ["None", "-0.03 -0.79 0.02 0.00 0.52 0.53 0.50 0.72"],
      ["All", "0.45 -0.24 0.00 0.02 -0.14 -0.14 -0.31 0.01"],
      ["Random", "0.50 -0.12 -0.03 -0.01 0.18 0.37 0.15 0.39"],
      ["Semantic Similarity", "0.60 0.01 0.02 0.00 -0.06 0.17 -0.07 0.09"],
      ["BM25", "0.12 -0.66 -0.02 0.01 0.25 0.40 0.42 0.40"],
      ["ReContriever", "0.62 -0.14 0.01 0.03 -0.09 0.09 -0.09 0.09"],
      ["GPT4-Few", "0.42 -0.34 0.00 0.01 -0.07 0.03 -0.17 0.03"],
    ),
  ),
  winRates(
    "T21",
    "net win rates on real-world data, by kind of input",
    winColumns(
      [
        ["Non-personalized", { real: true, personal: false }],
        ["Personalized", { real: true, personal: true }],
      ],
      VARIANTS,
    ),
    winRows(
      ["None", "-0.36 -0.64 -0.12 -0.26 0.46 0.70 0.52 0.60"],
      ["All", "0.08 -0.14 -0.14 -0.16 -0.16 -0.04 -0.14 0.04"],
      ["Random", "-0.02 -0.06 -0.06 -0.26 0.24 0.42 0.26 0.34"],
      ["Semantic Similarity", "0.04 -0.02 -0.02 -0.12 -0.10 0.00 -0.02 0.12"],
      ["BM25", "-0.40 -0.16 -0.16 -0.26 0.42 0.58 0.52 0.52"],
      ["ReContriever", "0.12 0.04 0.04 0.02 0.00 0.24 -0.14 0.24"],
      ["GPT4-Few", "0.08 0.12 0.12 -0.02 -0.08 -0.04 -0.04 -0.04"],
    ),
  ),
  {
    ...common,
    name: "rums/T23",
    title: "thresholds of the similarity baseline with most agreement on who is personalized",
    source: source("table 23"),
    columns: [column("best-above", { title: "Threshold", group: "", arm: similar })],
    heads: ["Dataset"],
    rows: [
      printedRow("All", "-1.0", { data: {} }),
      printedRow("Synthetic", "-1.0", { data: synthetic }),
      printedRow("Real World", "0.5", { data: realWorld }),
    ],
    make: run("rums-t23"),
  },
  ofSelection("T25", "items, personalized and not", {
    columns: [
      column("items", { title: "Personalized", group: "", data: { personal: true } }),
      column("items", { title: "Not-Personalized", group: "", data: { personal: false } }),
      column("items-difference", { title: "Difference", group: "" }),
    ],
    rows: [
      printedRow("Human Annotation", "6.45 1.43 5.02", { people: true }),
      armRow("RUMS-Utility", "1.87 0.80 1.07"),
      armRow("RUMS-Binary", "4.87 1.56 3.31"),
      armRow("RUMS-Multi", "3.27 1.67 1.60"),
      armRow("Semantic Similarity", "5.00 5.00 0.00"),
      printedRow("GPT4-ZeroShot", "3.30 2.61 0.69", { arm: zero }),
      printedRow("GPT4-FewShot", "1.80 1.57 0.23", { arm: few }),
    ],
  }),
  view("T7", "examples of chosen items", run("rums-selection"), "show RUN --question QUESTION"),
  view("Fig24", "a threshold for each user", run("rums-t6"), "rums calibrate RUN"),
  separation("Fig4-6", "base and instructed models, sizes, families", run("rums-fig4-6"), [
    ["LLaMA-8B base", "0.56", reference("LLaMA-8B", /llama.*8b(?!.*instruct)/i)],
    ["LLaMA-8B instruct", "0.32", reference("LLaMA-8B instruct", /llama.*8b.*instruct/i)],
    ["LLaMA-1B", "0.45", reference("LLaMA-1B", /llama.*1b/i)],
    ["Mistral-7B", "0.41", reference("Mistral-7B", /mistral.*7b/i)],
    ["Gemma-9B", "0.17", reference("Gemma-9B", /gemma.*9b/i)],
  ]),
  separation(
    "Fig7-10",
    "decoding, number of tokens, number of samples",
    run("rums-fig7-10").replace("run", "sweep scaling"),
    [
      ["sampled, 20 tokens, 1 sample", "0.56", decoding(0.7, 20, 1)],
      ["greedy", "-", decoding(0, 20, 1)],
      ["100 tokens", "0.38", decoding(0.7, 100, 1)],
      ["5 samples", "-", decoding(0.7, 20, 5)],
      ["10 samples", "-", decoding(0.7, 20, 10)],
    ],
  ),
  separation("Fig11", "number of profiles", run("rums-fig11"), [
    ["1 profile", "-", { profiles: 1 }],
    ["5 profiles", "-", { profiles: 5 }],
    ["10 profiles", "-", { profiles: 10 }],
  ]),
];

/** What one question, or each user, shows. */
function view(name: string, title: string, make: string, command: string): PaperTable {
  return {
    ...common,
    name: `rums/${name}`,
    title,
    source: source(name.replace(/^T/, "table ").replace(/^Fig/, "figure ")),
    columns: [],
    rows: [],
    task: TASK,
    make,
    views: [{ command, method: "rag" }],
  };
}

function decoding(temperature: number, tokens: number, samples: number): Partial<PaperRow> {
  return {
    arm: {
      options: { ...utility.options, "rums.temperature": temperature, "rums.tokens": tokens, "rums.samples": samples },
    },
  };
}

/** Tables 12 and 14: Llama on both data sets, then Mistral. */
function referenceRows(...printed: readonly string[]): PaperRow[] {
  const models = [
    { label: "Llama-7B", is: /llama/i, example: "openai/meta-llama/Llama-3.1-8B" },
    { label: "Mistral-7B", is: /mistral/i, example: "openai/mistralai/Mistral-7B-v0.3" },
  ];
  return models.flatMap(({ label, is, example }, at) =>
    (
      [
        ["Synthetic", synthetic],
        ["Real World", realWorld],
      ] as const
    ).map(([group, data], set) =>
      printedRow(label, printed[2 * at + set]!, { group, data, arm: utility, reference: { label, is, example } }),
    ),
  );
}

const absent = (name: string, title: string, why: string) => ({ name: `rums/${name}`, title, why });

export const rumsPaper: Paper = {
  id: "rums",
  title: "Response-Aware User Memory Selection for LLM Personalization (RUMS)",
  tables,
  absent: [
    absent("text", "numbers of its text", "they are settings: --preset rums applies them"),
    absent("Fig1", "overview", "it is a drawing, and holds no measured value"),
    absent(
      "Fig8",
      "entropy by place of the token",
      "it needs 10,000 OpenAssistant replies, which no run here asks for",
    ),
    absent("T11", "win rate by people", "it is a study with people, which no program makes"),
    absent("T13", "lower caption of table 12", "its numbers are those of rums/T12"),
    absent("T15", "lower caption of table 14", "its numbers are those of rums/T14"),
    absent("T17", "lower caption of table 16", "its numbers are those of rums/T16"),
    absent(
      "T18",
      "agreement of filters",
      "its numbers stand under table 19; it needs four models and people on labels that are not released",
    ),
    absent(
      "T19",
      "overlap of the ten items chosen most",
      "it needs four models and people on labels that are not released",
    ),
    absent("T22", "kinds of selection", "it is sorted by hand against four people"),
    absent("T24", "sizes of models", "it counts parameters, and measures nothing"),
    absent("Fig25", "monthly cost", "it is the bars of rums/Fig3b"),
    absent("Fig26-75", "values of the profiles", "the paper's 100 profiles are not released; give your own"),
  ],
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
