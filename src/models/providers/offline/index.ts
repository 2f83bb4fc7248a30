import { UsageError } from "../../../errors.js";
import type { Capabilities, Provider } from "../../../types/index.js";

/** The embedded model: no key, no network, no weights to download. Every reply says that it is simulated. */
export const offline: Provider = {
  name: "offline",
  summary: "embedded lexical model; answers from the prompt's own words (SIMULATED)",
  simulated: true,
  async open(modelId) {
    if (modelId !== "lexical") throw new UsageError(`--model offline/${modelId}: no such model; use offline/lexical`);
    const { lexical } = await import("./lexical.js");
    return {
      id: "offline/lexical",
      capabilities,
      simulated: true,
      async complete(request, signal) {
        await new Promise((resolve) => setImmediate(resolve)); // lets signals and timers through: nothing else here waits
        signal.throwIfAborted();
        return lexical(request);
      },
    };
  },
};

const reads = { temperature: true, stop: true, tools: true, logprobs: true } as const;
const capabilities: Capabilities = { ...reads, prefill: false, thinking: "none" };
