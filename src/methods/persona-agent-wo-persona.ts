import { WHOLE } from "./persona-agent/parts.js";
import { ablation } from "./persona-agent/variant.js";

export const personaAgentWoPersona = ablation({
  name: "persona-agent-wo-persona",
  summary: "persona-agent with the generic prompt of an agent: no persona, no summary, nothing to align",
  parts: {
    individual: { ...WHOLE, persona: false, summary: false, alignment: false },
    cumulative: { ...WHOLE, persona: false, summary: false, alignment: false },
  },
});
