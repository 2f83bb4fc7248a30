import type { ContextNote, GraphNote, MemoryNote, Note, PreferenceNote } from "./note.js";

/** Whoever takes notes down: a method's kit, a tool's use. */
interface Notebook {
  note(note: Note): void;
}

/** What a memory gave for a query, or for the question itself. Like each of these, the one writer of its kind. */
export const noteMemory = (to: Notebook, data: MemoryNote): void => to.note({ kind: "memory", data });

/** What was asked about the user's preferences, and answered. */
export const notePreference = (to: Notebook, data: PreferenceNote): void => to.note({ kind: "preference", data });

/** The part of a graph that entered a prompt. */
export const noteGraph = (to: Notebook, data: ContextNote): void => to.note({ kind: "graph", data });

/** A whole graph in numbers. */
export const noteGraphSize = (to: Notebook, data: GraphNote): void => to.note({ kind: "graph-size", data });
