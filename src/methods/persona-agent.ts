import type { Method } from "../types/index.js";
import { personaAgentOptions } from "./persona-agent/options.js";
import { needsOf, WHOLE } from "./persona-agent/parts.js";
import { check, personalize } from "./persona-agent/personalize.js";
import { planCalls } from "./persona-agent/plan.js";
import { embeds, usesGraph } from "./persona-agent/tools.js";

export const personaAgent: Method<typeof personaAgentOptions> = {
  name: "persona-agent",
  summary: "an agent with memory tools under a persona that is aligned to the user by simulating recent interactions",
  source: "PersonaAgent; METHODS 7",
  unfit: ({ dialogue }) =>
    dialogue === true ? "it aligns on past answers of the user, and a dialogue starts without any" : undefined,
  options: personaAgentOptions,
  check: (options, task) => check(WHOLE, options, task),
  personalize: (user, options, kit) => personalize(user, WHOLE, options, kit),
  needs: (options) => needsOf(WHOLE, options),
  embeds: (options) => embeds(WHOLE, options),
  usesOthers: (options) => usesGraph(WHOLE, options),
  plan: (options) => planCalls(WHOLE, options),
  sequential: (options) => options["align.schedule"] === "rolling",
};
