import { toolRules } from "../../memory/persona.js";
import type { Event, Kit, Question } from "../../types/index.js";
import { askable, openBatches } from "./batch.js";
import type { Step } from "./optimizers/steps.js";
import { type PersonaAgentOptions, ruledTools } from "./options.js";
import type { Parts } from "./parts.js";
import type { Persona, Sample } from "./samples.js";
import { simulator } from "./simulate.js";
import type { GraphTool } from "./tools.js";
import { agreement, openTrial, type Trial } from "./trial.js";

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
  const batches = await openBatches({ candidates, question, options, kit });
  const used = new Set(iterationsOf(iterations).flatMap((iteration) => batches(iteration)));
  const simulate = simulator({ history, like: question, parts, options, graph });
  const unused = candidates.filter((event) => !used.has(event));
  const trial = await openTrial(unused, options["align.validate"], simulate, job.persona, kit);
  const versions: Persona[] = [job.persona];
  for (const iteration of iterationsOf(iterations)) {
    const persona = versions.at(-1) ?? job.persona;
    const samples = await simulate(batches(iteration), persona, kit);
    versions.push(await update({ ...job, persona }, versions.slice(0, -1), samples, trial));
  }
  return versions.at(-1) ?? job.persona;
}

/** Keeps a persona in the trace. */
export function notePersona(persona: Persona, outcome: Outcome, step: Pick<Step, "gradients">, kit: Kit): void {
  const gradients = step.gradients.map(({ event, text }) => ({ event, text }));
  kit.note({ kind: "persona", data: { version: persona.version, outcome, gradients, persona: persona.text } });
}

/** `kept`: no usable rewrite, or nothing to learn; `reverted`: the rewrite did worse on the held-out events. */
type Outcome = "initial" | "updated" | "kept" | "reverted";

const iterationsOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

async function update(
  { persona, parts, options, kit }: AlignJob,
  past: readonly Persona[],
  samples: readonly Sample[],
  trial: Trial,
): Promise<Persona> {
  const wrong = ({ response, expected }: Sample): boolean => agreement(kit.task.kind, response, expected) < 1;
  const lessons = options["align.skipCorrect"] ? samples.filter(wrong) : samples;
  const step: Step =
    lessons.length === 0
      ? { gradients: [], persona: undefined }
      : await options["align.optimizer"].step({
          persona,
          past,
          samples: lessons,
          tools: ruledTools(parts, options),
          options,
          kit,
        });
  const version = persona.version + 1;
  const kept: Persona = { version, text: persona.text };
  const next: Persona = step.persona === undefined ? kept : { version, text: withRules(step.persona, parts, options) };
  const worse = step.persona !== undefined && !(await trial.passes(next, kit));
  const result = worse ? kept : next;
  notePersona(result, worse ? "reverted" : step.persona === undefined ? "kept" : "updated", step, kit);
  return result;
}

function withRules(persona: string, parts: Parts, options: PersonaAgentOptions): string {
  const rules = toolRules(ruledTools(parts, options));
  return !options["align.pinRules"] || persona.includes(rules) ? persona : `${persona}\n\n${rules}`;
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
