import { notesOf, type PersonaVersion } from "../../notes/note.js";
import type { Trace } from "../../types/index.js";

/** P0..PE of a unit, from its trace. Empty where the method has no persona. */
export function personaVersions({ notes }: Trace): PersonaVersion[] {
  return notesOf(notes, "persona");
}
