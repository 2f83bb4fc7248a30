import { choice } from "../../options.js";
import type { Method, OptionTable, OptionValue } from "../../types.js";
import { check } from "./check.js";
import { memorySelectOptions, personaAgentOptions, toolRulesOption } from "./options.js";
import { needsOf, type Parts } from "./parts.js";
import { personalize } from "./personalize.js";
import { planCalls } from "./plan.js";
import { embeds, usesGraph } from "./tools.js";

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
export function ablation(variant: {
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
