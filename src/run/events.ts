import type { Outcome, SweepKind, Usage } from "../types/index.js";
import type { Waiting as WaitingCalls } from "./outside/pace.js";

export type { WaitingCalls };

/** What a run tells while it goes on, in this order: planned, then started, then work, then stopped. Notices come at any time. */
export type RunEvent =
  | RunPlanned
  /** `folder`: the run's, absolute. */
  | {
      readonly kind: "started";
      readonly folder: string;
      readonly arms: readonly ArmProgress[];
      /** The calls that wait for their start, by endpoint, at any time until the work stops. */
      waiting(): readonly WaitingCalls[];
      /** The hosts of the models, as far as they are known. */
      readonly hosts: readonly string[];
      /** Calls that are out now. */
      inFlight(): number;
      /** US dollars that this process's replies were billed at; undefined where no price is known. */
      spentUsd(): number | undefined;
    }
  /** What the workers of the run are at, in a few words. */
  | { readonly kind: "workers"; readonly text: string }
  /** A reply came, from the provider or from the store. */
  | { readonly kind: "call"; readonly usage: Usage; readonly fromStore: boolean }
  /** A call failed and is tried again. */
  | { readonly kind: "retry"; readonly error: string }
  | { readonly kind: "question"; readonly cell: string; readonly outcome: Outcome }
  /** No more calls; told however the work ended. */
  | { readonly kind: "stopped" }
  | Notice;

/** A line for a person: printed once, and kept in the result. */
export interface Notice {
  readonly kind: "notice";
  /** `warning`: there is something to do about it; `note`: what happens; `end`: how the run ended, and what to do next. */
  readonly level: "warning" | "note" | "end";
  readonly text: string;
}

/** As it is printed. */
export const noticeText = ({ level, text }: Notice): string => (level === "warning" ? `warning: ${text}` : text);

/** Every name is resolved and every input read; nothing is sent yet. */
export interface RunPlanned {
  readonly kind: "planned";
  readonly tasks: readonly string[];
  /** As it was asked for. Undefined: the built-in demo data. */
  readonly data: string | undefined;
  /** As asked for; empty where no model was. */
  readonly models: readonly string[];
  /** Those whose price is unknown: they cost money that no table shows. */
  readonly unpriced: readonly string[];
  /** What answers: programs alone, the embedded model, or a provider's. */
  readonly answers: "programs" | "embedded model" | "model";
  readonly sweep: SweepKind | undefined;
}

/** One arm of a run and how far it is. */
export interface ArmProgress {
  /** Id of its cell. */
  readonly cell: string;
  readonly task: string;
  readonly questions: number;
}

export type Emit = (event: RunEvent) => void;
