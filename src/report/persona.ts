import type { Json, Trace } from "../types.js";
import { diffLines } from "./line-diff.js";

/** One version of a user's persona, as noted by the alignment. */
export interface PersonaVersion {
  readonly version: number;
  /** `initial`, `updated`, `kept`, ... */
  readonly outcome: string;
  readonly gradients: readonly string[];
  readonly persona: string;
}

/** P0..PE of a unit, from its trace. Empty where the method has no persona. */
export function personaVersions(trace: Trace): PersonaVersion[] {
  return trace.notes.flatMap(({ kind, data }) => (kind === "persona" ? readVersion(data) : []));
}

/** The last persona; with `diff`, what each update changed and why. */
export function renderPersona(title: string, versions: readonly PersonaVersion[], diff: boolean): string {
  const last = versions.at(-1);
  if (last === undefined) return `${title}: no persona`;
  if (!diff) return `${title}: persona P${last.version} (${last.outcome})\n\n${last.persona}`;
  const changes = versions.slice(1).map((version, v) => {
    const before = versions[v]!; // versions[v] precedes slice(1)[v]
    const gradients = version.gradients.map((gradient, g) => `gradient ${g + 1}: ${gradient}`);
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

function readVersion(data: Json): PersonaVersion[] {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return [];
  const { version, outcome, gradients, persona } = data as { readonly [key: string]: Json };
  if (typeof version !== "number" || typeof persona !== "string") return [];
  const texts = Array.isArray(gradients) ? gradients.filter((gradient: Json) => typeof gradient === "string") : [];
  return [{ version, persona, outcome: String(outcome), gradients: texts as string[] }];
}
