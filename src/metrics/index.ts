import { registry } from "../registry/registry.js";
import type { Metric } from "../types/index.js";
import { mae } from "./mae.js";
import { rmse } from "./rmse.js";
import { rouge1, rouge2, rougeL } from "./rouge.js";

/** Metrics that a run can add to those of its tasks: all that need no list of labels. */
export const metrics = registry<Metric>("metric", [mae, rmse, rouge1, rouge2, rougeL]);
