import { registry } from "../registry/registry.js";
import type { Metric } from "../types/index.js";
import { mae } from "./mae.js";
import { rmse } from "./rmse.js";
import { rouge1, rouge2, rougeL } from "./rouge.js";

export { accuracy } from "./accuracy.js";
export { evaluators } from "./evaluators/index.js";
export { macroF1, macroPrecision, macroRecall } from "./macro.js";
export { mae } from "./mae.js";
export { CITATION_LABELS, labelIndex, MOVIE_LABELS, NEWS_LABELS } from "./official-labels.js";
export { mapRating } from "./rating.js";
export { rmse } from "./rmse.js";
export { officialRouge, rouge1, rouge2, rougeL, rougeScore } from "./rouge.js";
export { scoreAll } from "./score-all.js";

/** Metrics that a run can add to those of its tasks: all that need no list of labels. */
export const metrics = registry<Metric>("metric", [mae, rmse, rouge1, rouge2, rougeL]);
