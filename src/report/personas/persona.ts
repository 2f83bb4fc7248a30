import type { Json, Trace } from "../../types.js";
import { diffLines } from "../transcripts/line-diff.js";

/** Feedback on one simulated interaction. */
export interface PersonaGradient {
  /** Id of the simulated event. */
  readonly event: string;
  readonly text: string;
}

/** One version of a user's persona, as noted by the alignment. */
export interface PersonaVersion {
  readonly version: number;
  /** `initial`, `updated`, `kept`, ... */
  readonly outcome: string;
  readonly gradients: readonly PersonaGradient[];
  readonly persona: string;
}

/** P0..PE of a unit, from its trace. Empty where the method has no persona. */
export function personaVersions(trace: Trace): PersonaVersion[] {
  return trace.notes.flatMap(({ kind, data }) => (kind === "persona" ? (readPersonaVersion(data) ?? []) : []));
}

/** A version from the data of a `persona` note; undefined where they are of another form. */
export function readPersonaVersion(data: Json): PersonaVersion | undefined {
  if (!isFields(data)) return undefined;
  const { version, outcome, gradients, persona } = data;
  if (typeof version !== "number" || typeof persona !== "string") return undefined;
  const list = Array.isArray(gradients) ? (gradients as readonly Json[]) : [];
  return { version, persona, outcome: String(outcome), gradients: list.flatMap(readGradient) };
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

// --- internal ---

function readGradient(data: Json): PersonaGradient[] {
  return isFields(data) && typeof data.text === "string" ? [{ event: String(data.event), text: data.text }] : [];
}

function isFields(data: Json): data is { readonly [key: string]: Json } {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
