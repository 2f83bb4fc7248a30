import { WHOLE } from "./persona-agent/parts.js";
import { ablation } from "./persona-agent/variant.js";

export const personaAgentWoAction = ablation({
  name: "persona-agent-wo-action",
  summary: "persona-agent without tools: one call that reasons and answers; cumulative: without a persona too",
  parts: {
    individual: { ...WHOLE, action: false },
    cumulative: { ...WHOLE, alignment: false, persona: false, summary: false, memory: false, action: false },
  },
});
