import { notesOf, type PersonaVersion } from "../../notes/note.js";
import { diffLines } from "../../text/line-diff.js";
import type { Trace } from "../../types/index.js";

/** P0..PE of a unit, from its trace. Empty where the method has no persona. */
export function personaVersions({ notes }: Trace): PersonaVersion[] {
  return notesOf(notes, "persona");
}

/** The last persona; with `diff`, what each update changed and why. */
export function renderPersona(title: string, versions: readonly PersonaVersion[], diff: boolean): string {
  const last = versions.at(-1);
  if (last === undefined) return `${title}: no persona`;
  if (!diff) return `${title}: persona P${last.version} (${last.outcome})\n\n${last.persona}`;
  const changes = versions.slice(1).map((version, v) => {
    const before = versions[v]!; // versions[v] precedes slice(1)[v]
    const gradients = version.gradients.map(
      ({ event, text }, g) => `gradient ${g + 1} (${event}):\n${text.replace(/^/gm, "  ")}`,
    );
    return [
      `P${before.version} -> P${version.version} (${version.outcome})`,
      ...gradients,
      "",
      diffLines(before.persona, version.persona),
    ].join("\n");
  });
  return [`${title}: P${versions[0]!.version}\n\n${versions[0]!.persona}`, ...changes].join("\n\n");
}
