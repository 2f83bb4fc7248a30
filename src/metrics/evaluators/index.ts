import { registry } from "../../registry.js";
import * as all from "./all.js";

export type { Evaluation, EvaluationRequest, Evaluator, NamedJson, ScoredTask } from "./evaluator.js";

/** What `--evaluator` chooses from. */
export const evaluators = registry("evaluator", Object.values(all));
