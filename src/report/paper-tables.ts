import { type Registry, registry } from "../registry.js";

/** A published table: values exactly as printed, so that rounding can be undone. */
export interface PaperTable {
  /** Paper and table: `000/T2`. */
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly columns: readonly { readonly task: string; readonly metric: string }[];
  readonly rows: readonly { readonly method: string; readonly printed: readonly string[] }[];
}

const SOURCE = "PersonaAgent: When Large Language Model Agents Meet Personalization at Test Time";

const columns: PaperTable["columns"] = [
  { task: "lamp1", metric: "accuracy" },
  { task: "lamp1", metric: "f1" },
  { task: "lamp2m", metric: "accuracy" },
  { task: "lamp2m", metric: "f1" },
  { task: "lamp2n", metric: "accuracy" },
  { task: "lamp2n", metric: "f1" },
  { task: "lamp3", metric: "mae" },
  { task: "lamp3", metric: "rmse" },
];

const row = (method: string, printed: string) => ({ method, printed: printed.split(" ") });

const mainResults: PaperTable = {
  name: "000/T2",
  title: "methods on four decision tasks",
  source: `${SOURCE}, Table 2`,
  columns,
  rows: [
    row("Prompt", "0.772 0.771 0.387 0.302 0.660 0.386 0.295 0.590"),
    row("ICL", "0.780 0.766 0.283 0.217 0.388 0.145 0.277 0.543"),
    row("RAG", "0.715 0.714 0.427 0.386 0.742 0.484 0.313 0.713"),
    row("PAG", "0.837 0.837 0.430 0.387 0.768 0.509 0.339 0.835"),
    row("ReAct", "0.837 0.853 0.450 0.378 0.639 0.381 0.313 0.590"),
    row("MemBank", "0.862 0.861 0.470 0.391 0.741 0.456 0.321 0.582"),
    row("PersonaAgent", "0.919 0.918 0.513 0.424 0.796 0.532 0.241 0.509"),
  ],
};

const ablation: PaperTable = {
  name: "000/T3",
  title: "PersonaAgent without each of its parts",
  source: `${SOURCE}, Table 3`,
  columns,
  rows: [
    row("PersonaAgent", "0.919 0.918 0.513 0.424 0.796 0.532 0.241 0.509"),
    row("w/o alignment", "0.894 0.893 0.487 0.403 0.775 0.502 0.259 0.560"),
    row("w/o persona", "0.846 0.855 0.463 0.361 0.769 0.483 0.277 0.542"),
    row("w/o Memory", "0.821 0.841 0.460 0.365 0.646 0.388 0.348 0.661"),
    row("w/o Action", "0.764 0.789 0.403 0.329 0.626 0.375 0.375 0.756"),
  ],
};

/** The published tables whose test sizes can be derived from the printed values. */
export const paperTables: Registry<PaperTable> = registry("published table", [mainResults, ablation]);
