import { builtIn } from "../../src/plan/catalogue.js";
import { planRequest } from "../../src/plan/plan.js";
import type { RunRequest } from "../../src/plan/settings.js";
import type { Plan } from "../../src/plan/types.js";

/** The plan of what flags ask for. */
export const planned = (request: RunRequest, cwd = "."): Plan => planRequest(request, builtIn, cwd).plan;

/** The settings of a run that is made up. */
export const madeUpPlan: Plan = planned({ task: "lamp3", method: "prompt" });
