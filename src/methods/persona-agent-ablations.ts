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

export const personaAgentWoAlignment = ablation({
  name: "persona-agent-wo-alignment",
  summary: "persona-agent with the initial persona, never aligned",
  parts: {
    individual: { ...WHOLE, alignment: false },
    cumulative: { ...WHOLE, alignment: false },
  },
});

export const personaAgentWoMemory = ablation({
  name: "persona-agent-wo-memory",
  summary: "persona-agent without summary and memory tool; cumulative: the generic agent with Wikipedia",
  parts: {
    individual: { ...WHOLE, summary: false, memory: false },
    cumulative: { ...WHOLE, alignment: false, persona: false, summary: false, memory: false },
  },
});

export const personaAgentWoPersona = ablation({
  name: "persona-agent-wo-persona",
  summary: "persona-agent with the generic prompt of an agent: no persona, no summary, nothing to align",
  parts: {
    individual: { ...WHOLE, persona: false, summary: false, alignment: false },
    cumulative: { ...WHOLE, persona: false, summary: false, alignment: false },
  },
});
