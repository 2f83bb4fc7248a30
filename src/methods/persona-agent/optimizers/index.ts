import { registry } from "../../../registry.js";
import * as all from "./all.js";
import type { Optimizer } from "./optimizer.js";

const list: readonly Optimizer[] = Object.values(all);

/** Every optimizer of a persona, by the name that `align.optimizer` takes. */
export const optimizers = registry("optimizer", list);
