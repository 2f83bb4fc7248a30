import { readFileSync } from "node:fs";
import type { Clock, Method, Outcome, SweepKind, Usage } from "../types/index.js";
import type { Catalogue } from "./catalogue.js";

/** The outside world as commands and runs see it: handed in, so that each of them is testable. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Version of Node, for logs. */
  readonly node: string;
  /** What has a name. Absent: what is built in. */
  readonly catalogue?: Catalogue;
  /** How programs are run. Absent: there are none. */
  readonly openPrograms?: OpenPrograms;
  /** Hands a remark, one line or a few, to whoever runs the command. */
  tell(line: string): void;
}

/** The programs that are the `exec:` methods of a run. */
export interface OpenedPrograms {
  /** The method of `exec:COMMAND`, undefined for any other name. Throws UsageError where there is no such program. */
  method(name: string): Method | undefined;
  /** Ends every program that was started. */
  close(): Promise<void>;
}

type OpenPrograms = (settings: ProgramSettings) => OpenedPrograms;

/** Where programs run, and when they stop. */
export interface ProgramSettings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that programs get although they hold a secret. */
  readonly allowed?: readonly string[];
  /** Variables that hold a key whatever they are called. */
  readonly keys?: readonly string[];
  readonly clock: Clock;
  /** By method name, the content ids that programs had in a recorded run: these need not be here, and nothing is started. */
  readonly recorded?: ReadonlyMap<string, string> | undefined;
  /** Nothing is started, every answer is empty. */
  readonly dryRun: boolean;
  /** Fires when questions that wait are given up. */
  readonly stop: AbortSignal;
  /** Fires when programs are ended, whatever they are at. */
  readonly kill: AbortSignal;
}

/** Now, in ISO 8601, UTC. */
export const timestamp = ({ clock }: Pick<Io, "clock">): string => new Date(clock.now()).toISOString();

/** Of this program. */
export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** What a run tells while it goes on, in this order: planned, then started, then work, then stopped. Notices come at any time. */
export type RunEvent =
  | RunPlanned
  /** `folder`: the run's, absolute. */
  | {
      readonly kind: "started";
      readonly folder: string;
      /** The arms, with how many questions each asks. */
      readonly arms: readonly { readonly arm: string; readonly task: string; readonly questions: number }[];
      /** The calls that wait for their start, by endpoint, at any time until the work stops. */
      waiting(): readonly Waiting[];
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
  | { readonly kind: "question"; readonly arm: string; readonly outcome: Outcome }
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

export type Emit = (event: RunEvent) => void;

/** Why a call waits: calls in flight, a limit a minute, the rate that a server was seen to take, a server that is busy or asked to wait. */
type Reason = "slots" | "limit" | "rate" | "busy";

/** Calls that wait for one server. */
export interface Waiting {
  /** The model of the oldest. */
  readonly name: string;
  readonly calls: number;
  readonly oldestMs: number;
  readonly why: Reason | "down";
}
