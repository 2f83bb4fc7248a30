import { builtIn } from "../../src/plan/catalogue.js";
import { layersOf, planOf } from "../../src/plan/plan.js";
import type { AskedConfig } from "../../src/plan/settings.js";
import type { Plan } from "../../src/plan/types.js";

/** The plan of what flags ask for. */
export const planned = (request: AskedConfig, cwd = "."): Plan => planOf(layersOf(request, builtIn, cwd), builtIn);

/** The settings of a run that is made up. */
export const madeUpPlan: Plan = planned({ task: "lamp3", method: "prompt" });
