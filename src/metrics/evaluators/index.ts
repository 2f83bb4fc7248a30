import { registry } from "../../registry/registry.js";
import { lamp, oppu } from "./script.js";
import { strict } from "./strict.js";

export type { Evaluation, TaskLabels as ScoredTask } from "./scorers.js";

/** Every evaluation script, by the name behind `--evaluator`. */
export const evaluators = registry("evaluator", [lamp, oppu, strict]);
