import type { Event, Kit, Question } from "../../types/index.js";
import { askable, batchOf } from "./batch.js";
import type { Step } from "./optimizers/steps.js";
import { type PersonaAgentOptions, ruledTools } from "./options.js";
import type { Parts } from "./parts.js";
import type { Persona, Sample } from "./samples.js";
import { simulator } from "./simulate.js";
import type { GraphTool } from "./tools.js";

interface AlignJob {
  readonly persona: Persona;
  /** V: the whole visible past, oldest first. */
  readonly history: readonly Event[];
  /** The question that alignment is for (per query); undefined: for the user. */
  readonly question: Question | undefined;
  readonly parts: Parts;
  readonly options: PersonaAgentOptions;
  /** The `graph_memory` tool, where the agent has it. */
  readonly graph: GraphTool | undefined;
  readonly kit: Kit;
}

/**
 * Test-time alignment (PersonaAgent Algorithm 1): for each iteration, simulates a batch of past interactions under the
 * current persona and lets the optimizer rewrite it. Notes every version with the feedback that led to it. A past without
 * labelled events leaves the persona as it is and is counted.
 */
async function align(job: AlignJob): Promise<Persona> {
  const { history, question, parts, options, graph, kit } = job;
  const iterations = options["align.iterations"];
  const candidates = askable(history, kit);
  if (iterations === 0) return job.persona;
  if (candidates.length === 0) {
    kit.count(history.length === 0 ? "align-skipped=no-history" : "align-skipped=no-labels");
    return job.persona;
  }
  const simulate = simulator({ history, like: question, parts, options, graph });
  let { persona } = job;
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const samples = await simulate(batchOf(candidates, iteration, options), persona, kit);
    persona = await update({ ...job, persona }, samples);
  }
  return persona;
}

/** Keeps a persona in the trace. */
export function notePersona(persona: Persona, outcome: Outcome, step: Pick<Step, "gradients">, kit: Kit): void {
  const gradients = step.gradients.map(({ event, text }) => ({ event, text }));
  kit.note({ kind: "persona", data: { version: persona.version, outcome, gradients, persona: persona.text } });
}

/** `kept`: no usable rewrite, or nothing to learn. */
type Outcome = "initial" | "updated" | "kept";

async function update({ persona, parts, options, kit }: AlignJob, samples: readonly Sample[]): Promise<Persona> {
  const tools = ruledTools(parts, options);
  const step: Step =
    samples.length === 0
      ? { gradients: [], persona: undefined }
      : await options["align.optimizer"].step({ persona, samples, tools, kit });
  const next: Persona = { version: persona.version + 1, text: step.persona ?? persona.text };
  notePersona(next, step.persona === undefined ? "kept" : "updated", step, kit);
  return next;
}

/** Gives the persona to answer a question with. */
export interface Alignment {
  personaFor(question: Question, history: readonly Event[], kit: Kit): Promise<Persona>;
  /** An answered question has entered memory. */
  remembered(): void;
}

/** What all alignments of one user have in common. */
export type AlignSettings = Pick<AlignJob, "persona" | "parts" | "options" | "graph">;

/** Starts alignment by `align.schedule`; where it is done before the questions, it is done with `kit`. */
export function startAlignment(settings: AlignSettings, history: readonly Event[], kit: Kit): Promise<Alignment> {
  return schedules[settings.options["align.schedule"]](settings, history, kit);
}

/** An alignment that always gives this persona. */
export const fixedPersona = (persona: Persona): Alignment => ({
  personaFor: async () => persona,
  remembered: () => undefined,
});

type Schedule = (settings: AlignSettings, history: readonly Event[], kit: Kit) => Promise<Alignment>;

const schedules: Readonly<Record<PersonaAgentOptions["align.schedule"], Schedule>> = {
  once: async (settings, history, kit) => fixedPersona(await align({ ...settings, history, question: undefined, kit })),

  /** Aligns again from the current persona once something new is remembered; the calls count for the next question. */
  async rolling(settings, history, kit) {
    let persona = await align({ ...settings, history, question: undefined, kit });
    let isStale = false;
    return {
      async personaFor(_question, now, questionKit) {
        if (isStale)
          persona = await align({ ...settings, persona, history: now, question: undefined, kit: questionKit });
        isStale = false;
        return persona;
      },
      remembered() {
        isStale = true;
      },
    };
  },

  "per-query": async (settings) => ({
    personaFor: (question, now, questionKit) => align({ ...settings, history: now, question, kit: questionKit }),
    remembered: () => undefined,
  }),
};
