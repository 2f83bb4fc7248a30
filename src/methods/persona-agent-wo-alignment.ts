import { WHOLE } from "./persona-agent/parts.js";
import { ablation } from "./persona-agent/variant.js";

export const personaAgentWoAlignment = ablation({
  name: "persona-agent-wo-alignment",
  summary: "persona-agent with the initial persona, never aligned",
  parts: {
    individual: { ...WHOLE, alignment: false },
    cumulative: { ...WHOLE, alignment: false },
  },
});
