import { episodicMemory } from "../memory/episodic.js";
import { initialPersona } from "../memory/persona.js";
import { choice } from "../registry/options.js";
import type { Answerer, Kit, Method, User } from "../types/index.js";
import { checkSummary, summarizeUser } from "./pag-summary.js";
import { type Alignment, type AlignSettings, notePersona, startAlignment } from "./persona-agent/align.js";
import {
  aligns,
  hasMemoryTool,
  hasSummary,
  optionsOfParts,
  type Parts,
  type PartsOf,
  type PersonaAgentOptions,
  personaAgentOptions,
  toolCountInRules,
  WHOLE,
} from "./persona-agent/options.js";
import { planCalls } from "./persona-agent/plan.js";
import { respond } from "./persona-agent/simulate.js";
import { embeds, openGraphTool, usesGraph } from "./persona-agent/tools.js";

/** Builds the method with the parts that its settings leave it. */
function variant<T extends typeof personaAgentOptions>(
  facts: Pick<Method, "name" | "summary" | "source" | "ablates"> & { readonly options: T },
  partsOf: (options: PersonaAgentOptions) => Parts,
) {
  return {
    ...facts,
    unfit: ({ dialogue }) =>
      dialogue === true ? "it aligns on past answers of the user, and a dialogue starts without any" : undefined,
    check(options, task) {
      if (hasSummary(partsOf(options))) checkSummary(options, task);
    },
    personalize: (user, options, kit) => personalize(user, partsOf(options), options, kit),
    needs(options) {
      const { action } = partsOf(options);
      const tools = action ? options["persona-agent.tools"].filter((name) => name === "wikipedia") : [];
      return { tools, agent: action };
    },
    embeds: (options) => embeds(partsOf(options), options),
    usesOthers: (options) => usesGraph(partsOf(options), options),
    plan: (options) => planCalls(partsOf(options), options),
    sequential: (options) => options["align.schedule"] === "rolling",
  } satisfies Method<typeof personaAgentOptions>;
}

export const personaAgent = variant(
  {
    name: "persona-agent",
    summary: "an agent with memory tools under a persona that is aligned to the user by simulating recent interactions",
    source: "PersonaAgent; METHODS 7",
    options: personaAgentOptions,
  },
  () => WHOLE,
);

/** Builds the method without some of its parts: its own, or in `cumulative` mode those of the rows above it in Table 3, too. */
function ablation(name: string, summary: string, individual: Partial<Parts>, cumulative = individual) {
  const partsOf: PartsOf = ({ "ablation.mode": mode }) => ({
    ...WHOLE,
    ...(mode === "cumulative" ? cumulative : individual),
  });
  const options = {
    ...personaAgentOptions,
    "ablation.mode": choice({
      default: "individual",
      of: ["individual", "cumulative"],
      help: "individual: each variant lacks its own part; cumulative: also those of the rows above it in the paper's table",
    }),
    ...optionsOfParts(partsOf),
  };
  return variant(
    { name, summary, source: "PersonaAgent Table 3; METHODS 7.6", options, ablates: "persona-agent" },
    partsOf,
  );
}

const NO_PERSONA = { persona: false, summary: false, alignment: false };

export const personaAgentWoAction = ablation(
  "persona-agent-wo-action",
  "persona-agent without tools: one call that reasons and answers; cumulative: without a persona too",
  { action: false },
  { ...NO_PERSONA, memory: false, action: false },
);

export const personaAgentWoAlignment = ablation(
  "persona-agent-wo-alignment",
  "persona-agent with the initial persona, never aligned",
  { alignment: false },
);

export const personaAgentWoMemory = ablation(
  "persona-agent-wo-memory",
  "persona-agent without summary and memory tool; cumulative: the generic agent with Wikipedia",
  { summary: false, memory: false },
  { ...NO_PERSONA, memory: false },
);

export const personaAgentWoPersona = ablation(
  "persona-agent-wo-persona",
  "persona-agent with the generic prompt of an agent: no persona, no summary, nothing to align",
  NO_PERSONA,
);

/** Runs PersonaAgent for one user: semantic memory, initial persona, alignment, then an agent run per question. */
async function personalize(user: User, parts: Parts, options: PersonaAgentOptions, unitKit: Kit): Promise<Answerer> {
  let history = user.history;
  if (history.length === 0) unitKit.count("no-history");
  const graph = await openGraphTool(user, parts, options, unitKit);
  const alignment = parts.persona ? await openPersona(user, { parts, options, graph }, unitKit) : undefined;
  const memory = hasMemoryTool(parts) ? await episodicMemory(history, options, unitKit) : undefined;

  const answerer: Answerer = async (question, kit) => {
    const persona = (await alignment?.(question, history, kit))?.text;
    const tool = await graph?.(question, history);
    return respond({ phase: "answer", question, persona, memory, graph: tool, parts, options }, kit);
  };
  const canLearn = hasMemoryTool(parts) || (aligns(parts) && options["align.schedule"] !== "once");
  if (!canLearn) return answerer;
  answerer.learn = async (event, kit) => {
    history = [...history, event];
    await memory?.add(event, kit);
  };
  return answerer;
}

/** P0 and what alignment makes of it. */
async function openPersona(user: User, settings: Omit<AlignSettings, "persona">, kit: Kit): Promise<Alignment> {
  const { parts, options } = settings;
  const summary = parts.summary ? await summarizeUser(user, options, kit) : "";
  const persona = { version: 0, text: initialPersona(summary, toolCountInRules(parts, options)) };
  notePersona(persona, "initial", { gradients: [] }, kit);
  return aligns(parts) ? startAlignment({ ...settings, persona }, user.history, kit) : async () => persona;
}
