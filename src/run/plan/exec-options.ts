import { UsageError } from "../../errors.js";
import { decimal, integer } from "../../registry/options.js";
import type { Model, Options, OptionTable } from "../../types/index.js";

/** Options of `--method exec:COMMAND`. */
export const execOptions = {
  "exec.timeoutSeconds": decimal({
    default: 60,
    min: 0.001,
    max: 86_400,
    help: "exec: most seconds for one answer, calls of the run's model not counted",
  }),
  "exec.processes": integer({
    default: 1,
    min: 1,
    max: 256,
    help: "exec: processes side by side; a user stays with one",
  }),
} satisfies OptionTable;
export type ExecOptions = Options<typeof execOptions>;

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
