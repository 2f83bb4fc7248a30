import { registry } from "../../../registry/registry.js";
import { paper } from "./paper.js";
import type { Optimizer } from "./steps.js";
import { textgrad } from "./textgrad.js";

const list: readonly Optimizer[] = [paper, textgrad];

/** Every optimizer of a persona, by the name that `align.optimizer` takes. */
export const optimizers = registry("optimizer", list);
