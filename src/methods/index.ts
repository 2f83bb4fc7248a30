import { registry } from "../registry/registry.js";
import type { Method } from "../types/index.js";
import { assistant } from "./assistant.js";
import { majority, meanRating, mostRecent, randomLabel } from "./baselines.js";
import { buffer } from "./buffer.js";
import { fullHistory } from "./full-history.js";
import { graphRag } from "./graph-rag.js";
import { icl } from "./icl.js";
import { membank } from "./membank.js";
import { pag } from "./pag.js";
import {
  personaAgent,
  personaAgentWoAction,
  personaAgentWoAlignment,
  personaAgentWoMemory,
  personaAgentWoPersona,
} from "./persona-agent.js";
import { prompt } from "./prompt.js";
import { rag } from "./rag.js";
import { react } from "./react.js";
import { rums } from "./rums.js";
import { sage } from "./sage.js";
import { stateless } from "./stateless.js";

/** Every method, by the name typed on the command line. */
export const methods = registry<Method>("method", [
  assistant,
  buffer,
  fullHistory,
  graphRag,
  icl,
  majority,
  meanRating,
  membank,
  mostRecent,
  pag,
  personaAgent,
  personaAgentWoAction,
  personaAgentWoAlignment,
  personaAgentWoMemory,
  personaAgentWoPersona,
  prompt,
  rag,
  randomLabel,
  react,
  rums,
  sage,
  stateless,
]);
