import { WHOLE } from "./persona-agent/parts.js";
import { ablation } from "./persona-agent/variant.js";

export const personaAgentWoMemory = ablation({
  name: "persona-agent-wo-memory",
  summary: "persona-agent without summary and memory tool; cumulative: the generic agent with Wikipedia",
  parts: {
    individual: { ...WHOLE, summary: false, memory: false },
    cumulative: { ...WHOLE, alignment: false, persona: false, summary: false, memory: false },
  },
});
