import type { Event, Kit, Question } from "../../types/index.js";
import type { Persona, Step } from "./optimizers/steps.js";
import { type Parts, type PersonaAgentOptions, toolCountInRules } from "./options.js";
import { simulator } from "./simulate.js";
import type { OpenGraphTool } from "./tools.js";

/**
 * Returns the history items to simulate in iteration 1, 2, ..., oldest first. `rolling`: windows walk back in time and start over
 * at the newest, so that fewer iterations are a prefix of more.
 */
function batchOf(
  candidates: readonly Event[],
  iteration: number,
  { "align.batch": batch, "align.batchSize": size }: PersonaAgentOptions,
): readonly Event[] {
  if (batch === "latest") return candidates.slice(-size);
  const windows = Math.max(1, Math.ceil(candidates.length / size));
  const end = candidates.length - ((iteration - 1) % windows) * size;
  return candidates.slice(Math.max(0, end - size), end);
}

/** Settings of all alignments of one user. */
export interface AlignSettings {
  readonly persona: Persona;
  readonly parts: Parts;
  readonly options: PersonaAgentOptions;
  /** The `graph_memory` tool, where the agent has it. */
  readonly graph: OpenGraphTool | undefined;
}

interface AlignJob extends AlignSettings {
  /** V: the whole visible history, oldest first. */
  readonly history: readonly Event[];
  /** The question that alignment is for. Absent: it is for the user. */
  readonly question?: Question;
}

/**
 * Aligns a persona at test time (PersonaAgent Algorithm 1): each iteration simulates a batch of history items under it and lets the
 * optimizer rewrite it. Notes every version. A history without labelled events leaves it as it is and is counted.
 */
async function align(job: AlignJob, kit: Kit): Promise<Persona> {
  const { history, parts, options } = job;
  let { persona } = job;
  if (options["align.iterations"] === 0) return persona;
  const candidates = history.filter((event) => event.label !== undefined && kit.task.pose(event) !== undefined);
  if (candidates.length === 0) {
    kit.count(history.length === 0 ? "align-skipped=no-history" : "align-skipped=no-labels");
    return persona;
  }
  const simulate = simulator({ ...job, like: job.question });
  const tools = toolCountInRules(parts, options);
  for (let iteration = 1; iteration <= options["align.iterations"]; iteration++) {
    const samples = await simulate(batchOf(candidates, iteration, options), persona, kit);
    const step: Step =
      samples.length === 0
        ? { gradients: [], persona: undefined }
        : await options["align.optimizer"].step({ persona, samples, tools, kit });
    persona = { version: persona.version + 1, text: step.persona ?? persona.text };
    notePersona(persona, step.persona === undefined ? "kept" : "updated", step, kit);
  }
  return persona;
}

/** Keeps a persona in the trace. `kept`: no usable rewrite, or nothing to learn. */
export function notePersona(
  { version, text }: Persona,
  outcome: "initial" | "updated" | "kept",
  { gradients }: Pick<Step, "gradients">,
  kit: Kit,
): void {
  const feedback = gradients.map((gradient) => ({ event: gradient.event, text: gradient.text }));
  kit.note({ kind: "persona", data: { version, outcome, gradients: feedback, persona: text } });
}

/** Gives the persona to answer a question with, when the user's history is `history`. */
export type Alignment = (question: Question, history: readonly Event[], kit: Kit) => Promise<Persona>;

/** Starts alignment by `align.schedule`; where it is done before the questions, it is done with `kit`. */
export async function startAlignment(settings: AlignSettings, history: readonly Event[], kit: Kit): Promise<Alignment> {
  const schedule = settings.options["align.schedule"];
  if (schedule === "per-query")
    return (question, currentHistory, questionKit) =>
      align({ ...settings, history: currentHistory, question }, questionKit);
  let persona = await align({ ...settings, history }, kit);
  let alignedHistory = history;
  return async (_question, currentHistory, questionKit) => {
    // Rolling: from the current persona, once something new is remembered; the calls count for the next question.
    if (schedule === "rolling" && currentHistory !== alignedHistory)
      persona = await align({ ...settings, persona, history: currentHistory }, questionKit);
    alignedHistory = currentHistory;
    return persona;
  };
}
