export { assistant } from "./assistant.js";
export { buffer } from "./buffer.js";
export { graphRag } from "./graph-rag.js";
export { icl } from "./icl.js";
export { membank } from "./membank.js";
export { pag } from "./pag.js";
export { personaAgent } from "./persona-agent.js";
export {
  personaAgentWoAction,
  personaAgentWoAlignment,
  personaAgentWoMemory,
  personaAgentWoPersona,
} from "./persona-agent-ablations.js";
export { prompt } from "./prompt.js";
export { rag } from "./rag.js";
export { react } from "./react.js";
export { rums } from "./rums.js";
export { sage } from "./sage.js";
export { stateless } from "./stateless.js";
