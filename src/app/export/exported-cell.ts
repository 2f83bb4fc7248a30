import type { ScoredRow } from "../../report/pairs.js";
import type { Summary } from "../../report/summary.js";
import { contentId } from "../../text/content-id.js";
import type { Cell, Metric, Task } from "../../types/index.js";
import type { StoredRun } from "../common/run-folder.js";

export const relationships = ["first_party", "third_party", "collaborative", "other"] as const;
export const deployments = ["self_deployed", "externally_managed", "unknown"] as const;
export const weightKinds = ["open_weights", "closed_weights", "unknown"] as const;

/** What the form asks for that no run knows. */
export interface Publication {
  /** Run folder. */
  readonly run: string;
  /** Who publishes the results. */
  readonly organization?: string | undefined;
  /** Of the publisher to the model. Default: third_party. */
  readonly relationship?: (typeof relationships)[number] | undefined;
  /** Who runs the model. Default: unknown. */
  readonly deployment?: (typeof deployments)[number] | undefined;
  /** Whether the model's weights can be had. Default: unknown. */
  readonly weights?: (typeof weightKinds)[number] | undefined;
  /** Also every scored question with its gold and reply. */
  readonly samples?: boolean | undefined;
  /** Licence of the questions and golds in samples. */
  readonly licence?: string | undefined;
  /** Folder of the run's data, where samples need it and it was moved. */
  readonly data?: string | undefined;
}

/** One cell and what its files say of it. */
export interface About {
  readonly cell: Cell;
  readonly task: Task;
  readonly summary: Summary;
  readonly scored: readonly ScoredRow[];
  readonly folder: StoredRun;
  readonly publication: Publication;
  readonly evaluation: string;
  readonly model: ModelName;
  /** Path of the files in the datastore, less its ending. */
  readonly stem: string;
}

interface ModelName {
  /** `developer/model`. */
  readonly id: string;
  readonly platform: string;
}

/** Ids and place of a cell's files: the same at every export of the run. The model's id is its folder, as the datastore demands. */
export function placeOf(cell: Cell, startedAt: string): Pick<About, "evaluation" | "model" | "stem"> {
  const [platform = "", ...rest] = cell.model.split("/");
  const [developer = "", ...model] = rest.length > 1 ? rest : [platform, ...rest];
  const id = [developer, model.join("_")].map(inFileName).join("/");
  return {
    evaluation: `lamp-eval_${cell.task}/${id}/${cell.id}`,
    model: { id, platform },
    stem: `data/lamp-eval/${id}/${uuidOf(contentId([cell.id, startedAt]))}`,
  };
}

const inFileName = (name: string): string => name.replaceAll(/[^\w.-]/g, "-").replace(/\.+$/, "") || "unknown";

/** A hash in the form of a UUID of version 4. */
const uuidOf = (hash: string): string =>
  `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;

export const resultId = ({ id }: Cell, metric: string): string => `${id}.${metric}`;
export const evaluationName = ({ task, method }: Cell): string => `${task}.${method}`;

/** The largest value of a metric from 0; undefined where none is known. */
export const mostOf = (metric: Metric | undefined): number | undefined =>
  metric?.most ?? (metric?.labels === undefined ? undefined : 1);
