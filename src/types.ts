/**
 * The vocabulary of lamp-eval: every idea of the program, types only.
 * A Task words questions; a Method meets one User and answers that user's Questions through a Kit;
 * a Model completes requests; the engine turns (Cell, Unit) into Rows; reports turn Rows into tables.
 */

export type { Json } from "./json.js";
export type { Note } from "./notes/note.js";
export type * from "./types/data.js";
export type * from "./types/judgements.js";
export type * from "./types/methods.js";
export type * from "./types/models.js";
export type * from "./types/options.js";
export type * from "./types/random.js";
export type * from "./types/retrieval.js";
export type * from "./types/runs.js";
export type * from "./types/selectors.js";
export type * from "./types/tasks.js";
export type * from "./types/tools.js";
