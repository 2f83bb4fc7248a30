import { UsageError } from "../errors.js";
import type { Model } from "../types.js";

/** Stands where a run of programs only has no `--model`: nothing is simulated, and nothing may be asked. */
export const noModel: Model = {
  id: "none",
  simulated: false,
  capabilities: {
    temperature: true,
    stop: true,
    tools: false,
    prefill: false,
    logprobs: false,
    thinking: "none",
  },
  complete: async () => {
    throw new UsageError("the program asks for the run's model and there is none; add --model PROVIDER/ID");
  },
};
