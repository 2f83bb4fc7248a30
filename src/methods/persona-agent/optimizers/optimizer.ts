import type { Kit } from "../../../types.js";
import type { Persona, Sample } from "../samples.js";

/** A textual gradient: feedback on the persona, learned from one simulated event. */
export interface Gradient {
  readonly event: string;
  readonly text: string;
}

/** The knobs that an optimizer reads. */
export interface OptimizerOptions {
  /** 4 characters a token. */
  readonly "align.maxPersonaTokens": number;
  readonly "align.reduce": "concat" | "llm";
  /** How many earlier personas the update sees. */
  readonly "align.momentum": number;
  /** Empty: none. */
  readonly "align.constraints": string;
  /** Most calls that reflect, of one update. */
  readonly "align.reflections": number;
}

export interface StepJob {
  readonly persona: Persona;
  /** Earlier personas, oldest first, without the current one. */
  readonly past: readonly Persona[];
  /** In batch order; at least one. */
  readonly samples: readonly Sample[];
  /** How many tools the persona speaks of. */
  readonly tools: number;
  readonly options: OptimizerOptions;
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

/** One OPTIMIZATION step of PersonaAgent Algorithm 1: feedback on simulated answers becomes a new persona. */
export interface Optimizer {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  step(job: StepJob): Promise<Step>;
  /** Calls of one step over so many samples, when no call fails. */
  calls(samples: number, options: OptimizerOptions): { readonly gradient: Range; readonly update: Range };
}
