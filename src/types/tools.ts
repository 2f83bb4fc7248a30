import type { Json, Note } from "../notes/note.js";
import type { ToolSpec } from "./models.js";

/** Something an agent can call. */
export interface Tool extends ToolSpec {
  /** True where the tool keeps `use.timeoutMs` itself, because waiting for its turn must not count. */
  readonly timesItself?: boolean;
  /** The observation. `input` is whatever the model sent: an object, or a bare string. Throws an Error with a short message on failure. */
  run(input: Json, use: ToolUse): Promise<string>;
}

/** What one call of a tool may reach. */
export interface ToolUse {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  note(note: Note): void;
  count(incident: string): void;
}
