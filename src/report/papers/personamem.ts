import { type NamedModel, type Paper, row, tableMaker } from "./paper.js";

const task = "personamem-v1";

const table = tableMaker("personamem", "PersonaMem, the authors' answers in their repository", {
  task,
  columns: [{ task, metric: "accuracy" }],
  /** inference.py @2f46573 sets none. */
  settings: { temperature: "none" },
  notes: [
    "the authors send the past as chat messages; full-history shows all of it in one prompt, worded by us",
    "a model without any past answers a good part of the questions (issue 41): prompt is that control",
  ],
  views: ["report RUN --by question_type"],
});

const gpt4o: NamedModel = { label: "GPT-4o", is: /gpt-4o(?!-mini)/i, example: "openai/gpt-4o-2024-08-06" };
const gpt4oMini: NamedModel = { label: "GPT-4o-mini", is: /gpt-4o-mini/i, example: "openai/gpt-4o-mini-2024-07-18" };

const full = { method: "full-history" };

const MAKE =
  "run --preset personamem --task personamem-v1 --method prompt,full-history --set data.maxQueriesPerUser=0 --set temperature=none";

/** Issue 29, in its order. */
const byType = (label: string, ...printed: readonly [string, string, string, string, string, string, string]) =>
  [
    "revisit reasons behind preference updates",
    "track full preference evolution",
    "provide preference-aligned recommendations",
    "recall user-shared facts",
    "acknowledge latest preference",
    "generalize reasons to new scenarios",
    "suggest new ideas",
  ].map((type, at) => row(`${label}, ${type}`, undefined, printed[at]!)); // as many as types

const caveats = [
  "0.39 and 0.58 of GPT-4o are the means of its seven values by type, to two digits: they may not be shares of all questions, as ours are",
  "20 personas with about 29 questions each, and no intervals are printed",
];

export const personamemPaper: Paper = {
  id: "personamem",
  title: "PersonaMem v1 (numbers of its authors, in issues of their repository)",
  tables: [
    table("T1", "accuracy on 32k tokens, with and without mem0", "issue 28", MAKE, {
      model: "GPT-4o, GPT-4o-mini",
      rows: [
        row("GPT-4o without mem0", full, "0.39", { model: gpt4o }),
        row("GPT-4o with mem0", undefined, "0.58"),
        row("GPT-4o-mini without mem0", full, "0.32", { model: gpt4oMini }),
        row("GPT-4o-mini with mem0", undefined, "0.39", {
          suspect: {
            [task]:
              "its values by type (issue 29) are, but for one, those of GPT-4o without mem0, and 0.39 is their mean",
          },
        }),
      ],
      caveats,
      partly: "no method here is mem0: --as 'GPT-4o with mem0=NAME' puts yours there",
    }),
    table("T2", "accuracy of GPT-4o by type of question, on 32k tokens", "issues 28 (all) and 29 (types)", MAKE, {
      model: gpt4o.label,
      rows: [
        row("GPT-4o, all", full, "0.39", { model: gpt4o }),
        ...byType("GPT-4o", "0.74", "0.65", "0.31", "0.18", "0.43", "0.09", "0.33"),
        row("GPT-4o with mem0, all", undefined, "0.58"),
        ...byType("GPT-4o with mem0", "0.77", "0.58", "0.67", "0.47", "0.67", "0.65", "0.26"),
      ],
      caveats: [
        ...caveats,
        "the released 32k file names types otherwise and has none that acknowledges the latest preference (issues 19, 27): no value of ours stands beside a type",
      ],
      partly: "own values by type are in report --by question_type",
    }),
  ],
  absent: {
    paper:
      "the paper's own figures are not at hand; Claude's numbers in them are without any past, which the code drops (issue 39)",
    v2: "the numbers of version 2 are ranges over models, or of models trained for it: no method here stands beside them",
  },
  contradictions: [
    "the paper says that questions answerable without a past were left out; without one a model answers 49.2 % of 472 on 128k tokens (issue 41)",
  ],
};
