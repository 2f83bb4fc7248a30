import { choice } from "../registry/options.js";
import type { Method, OptionTable, OptionValue } from "../types/index.js";
import { memorySelectOptions, personaAgentOptions, toolRulesOption } from "./persona-agent/options.js";
import { needsOf, type Parts, WHOLE } from "./persona-agent/parts.js";
import { check, personalize } from "./persona-agent/personalize.js";
import { planCalls } from "./persona-agent/plan.js";
import { embeds, usesGraph } from "./persona-agent/tools.js";

/** What the rows of PersonaAgent Table 3 lack (METHODS 7.6): each row one part, or each row one part more than the row above. */
type AblationMode = "individual" | "cumulative";

const ablationOptions = {
  ...personaAgentOptions,
  "ablation.mode": choice({
    default: "individual",
    of: ["individual", "cumulative"],
    help: "individual: each variant lacks its own part; cumulative: also those of the rows above it in the paper's table",
  }),
} satisfies OptionTable;

/** The method with one of its parts taken out, a method of its own on the command line. */
function ablation(variant: {
  readonly name: string;
  readonly summary: string;
  readonly parts: Readonly<Record<AblationMode, Parts>>;
}): Method<typeof ablationOptions> {
  const { name, summary, parts } = variant;
  const partsOf = ({ "ablation.mode": mode }: Readonly<Record<string, OptionValue>>): Parts =>
    parts[mode === "cumulative" ? mode : "individual"];
  return {
    name,
    summary,
    source: "PersonaAgent Table 3; METHODS 7.6",
    options: { ...ablationOptions, ...toolRulesOption(partsOf), ...memorySelectOptions(partsOf) },
    ablates: "persona-agent",
    unfit: ({ dialogue }) =>
      dialogue === true ? "it aligns on past answers of the user, and a dialogue starts without any" : undefined,
    check: (options, task) => check(parts[options["ablation.mode"]], options, task),
    personalize: (user, options, kit) => personalize(user, parts[options["ablation.mode"]], options, kit),
    needs: (options) => needsOf(parts[options["ablation.mode"]], options),
    embeds: (options) => embeds(parts[options["ablation.mode"]], options),
    usesOthers: (options) => usesGraph(parts[options["ablation.mode"]], options),
    plan: (options) => planCalls(parts[options["ablation.mode"]], options),
    sequential: (options) => options["align.schedule"] === "rolling",
  };
}

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
