import type { Kit } from "../../../types.js";
import type { PersonaAgentOptions } from "../options.js";
import type { Persona, Sample } from "../simulate.js";

/** A textual gradient: feedback on the persona, learned from one simulated event. */
export interface Gradient {
  readonly event: string;
  readonly text: string;
}

export interface StepJob {
  readonly persona: Persona;
  /** Earlier personas, oldest first, without the current one. */
  readonly past: readonly Persona[];
  /** In batch order; at least one. */
  readonly samples: readonly Sample[];
  readonly options: PersonaAgentOptions;
  readonly kit: Kit;
}

export interface Step {
  readonly gradients: readonly Gradient[];
  /** Undefined: there is no better one, so the persona stays. */
  readonly persona: string | undefined;
}

interface Range {
  readonly low: number;
  readonly high: number;
}

/** One OPTIMIZATION step of papers/000 Algorithm 1: feedback on simulated answers becomes a new persona. */
export interface Optimizer {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  step(job: StepJob): Promise<Step>;
  /** Calls of one step over so many samples, when no call fails. */
  calls(samples: number, options: PersonaAgentOptions): { readonly gradient: Range; readonly update: Range };
}
