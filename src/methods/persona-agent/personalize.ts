import { episodicMemory } from "../../memory/episodic.js";
import { initialPersona } from "../../memory/persona.js";
import type { Answerer, Kit, TaskBrief, User } from "../../types/index.js";
import { checkSummary, semanticMemory } from "../pag-summary.js";
import { type Alignment, type AlignSettings, fixedPersona, notePersona, startAlignment } from "./align.js";
import { type PersonaAgentOptions, ruledTools } from "./options.js";
import { aligns, hasMemoryTool, hasSummary, type Parts } from "./parts.js";
import { respond } from "./respond.js";
import { openGraphTool } from "./tools.js";

/** PersonaAgent for one user: semantic memory, initial persona, alignment, then an agent run per question. */
export async function personalize(
  user: User,
  parts: Parts,
  options: PersonaAgentOptions,
  unitKit: Kit,
): Promise<Answerer> {
  check(parts, options, unitKit.task);
  let history = user.history;
  if (history.length === 0) unitKit.count("no-history");
  const graph = await openGraphTool(user, parts, options, unitKit);
  const alignment = parts.persona ? await openPersona(user, { parts, options, graph }, unitKit) : undefined;
  const memory = hasMemoryTool(parts)
    ? await episodicMemory(history, options, unitKit, unitKit.random("memory"))
    : undefined;

  const answer: Answerer = async (question, kit) => {
    const persona = (await alignment?.personaFor(question, history, kit))?.text;
    const tool = await graph?.(question, history);
    return respond({ phase: "answer", question, persona, memory, graph: tool, parts, options }, kit);
  };
  if (!canLearn(parts, options)) return answer;
  answer.learn = async (event, kit) => {
    history = [...history, event];
    await memory?.add(event, kit, kit.random("memory"));
    alignment?.remembered();
  };
  return answer;
}

/** P0 and what alignment makes of it. */
async function openPersona(user: User, settings: Omit<AlignSettings, "persona">, kit: Kit): Promise<Alignment> {
  const { parts, options } = settings;
  const summary = parts.summary ? await semanticMemory(user, options, kit) : "";
  const persona = { version: 0, text: initialPersona(summary, ruledTools(parts, options)) };
  notePersona(persona, "initial", { gradients: [] }, kit);
  return aligns(parts) ? startAlignment({ ...settings, persona }, user.history, kit) : fixedPersona(persona);
}

/** Whether an answered question can change a later answer. */
function canLearn(parts: Parts, options: PersonaAgentOptions): boolean {
  return hasMemoryTool(parts) || (aligns(parts) && options["align.schedule"] !== "once");
}

/** Refuses settings that have no meaning for the task. Throws UsageError. */
export function check(parts: Parts, options: PersonaAgentOptions, task: TaskBrief): void {
  if (hasSummary(parts)) checkSummary(options, task);
}
