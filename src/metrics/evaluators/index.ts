import { registry } from "../../registry/registry.js";
import { lamp } from "./lamp.js";
import { oppu } from "./oppu.js";
import { strict } from "./strict.js";

export type { Evaluation, ScoredTask } from "./evaluator.js";

/** What `--evaluator` chooses from. */
export const evaluators = registry("evaluator", [lamp, oppu, strict]);
