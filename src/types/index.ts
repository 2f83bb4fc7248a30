/**
 * The vocabulary of lamp-eval: every idea of the program, types only.
 * A Task words questions; a Method meets one User and answers that user's Questions through a Kit;
 * a Model completes requests; the engine turns (ArmSpec, Unit) into Rows; reports turn Rows into tables.
 */

export type { Json, Note } from "../notes/note.js";
export type * from "./data.js";
export type * from "./judgements.js";
export type * from "./methods.js";
export type * from "./models.js";
export type * from "./options.js";
export type * from "./retrieval.js";
export type * from "./runs.js";
export type * from "./tasks.js";
