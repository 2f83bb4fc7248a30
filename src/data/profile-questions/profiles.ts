import { fail, type RecordPlace } from "./file-lines.js";

export interface PaperProfile {
  readonly id: string;
  readonly items: readonly { readonly id: string; readonly attribute: string; readonly value: string }[];
}

/**
 * A profile in one of three forms: attributes as fields (`{"Occupation": "Nurse", "Favorite foods": ["Dosa", "Chaat"]}`), in sections
 * (`{"Name": ..., "Demographics": {...}}`: PersonaFeedback's `all_personas.jsonl`), or lines (`["Occupation: Nurse"]`, as RUMS prints
 * them). The id is `user_id`, `id`, else the number in the file. Throws UsageError naming the place.
 */
export function profileOf(value: unknown, place: RecordPlace): PaperProfile {
  const pairs = Array.isArray(value) ? value.map((line: unknown) => pairOf(line, place)) : pairsIn(value, place);
  if (pairs.length === 0) return fail(place, "a profile without an attribute");
  const id = Array.isArray(value) ? undefined : idIn(value as Readonly<Record<string, unknown>>); // an object: pairsIn looked at it
  const name = id ?? String(place.number);
  const taken = new Map<string, number>();
  const items = pairs.map(([attribute, text]) => {
    const slug = attributeSlug(attribute);
    const times = (taken.get(slug) ?? 0) + 1;
    taken.set(slug, times);
    return { id: `${name}-${slug}${times === 1 ? "" : `-${times}`}`, attribute, value: text };
  });
  return { id: name, items };
}

/** An attribute as ids of events hold it. */
export const attributeSlug = (attribute: string): string =>
  attribute
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");

type Pair = readonly [attribute: string, value: string];

const IDS = ["user_id", "id"];

function idIn(record: Readonly<Record<string, unknown>>): string | undefined {
  const id = IDS.map((field) => record[field]).find((one) => typeof one === "string" || typeof one === "number");
  return id === undefined ? undefined : String(id);
}

function pairOf(line: unknown, place: RecordPlace): Pair {
  const colon = typeof line === "string" ? line.indexOf(":") : -1;
  if (typeof line !== "string" || colon < 1)
    return fail(place, `expected lines "attribute: value", found ${JSON.stringify(line)}`);
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}

function pairsIn(value: unknown, place: RecordPlace): Pair[] {
  if (typeof value !== "object" || value === null)
    return fail(place, "expected a profile: an object or a list of lines");
  return Object.entries(value).flatMap(([field, name]) => (IDS.includes(field) ? [] : pairsOf(field, name, place)));
}

/** Sections are named before their attributes; empty values are left out. */
function pairsOf(attribute: string, value: unknown, place: RecordPlace): Pair[] {
  if (value === null || value === "") return [];
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return [[attribute, String(value).trim()]];
  if (Array.isArray(value)) {
    const texts = value.map((one) =>
      typeof one === "object" ? fail(place, `${attribute}: a list of objects`) : String(one),
    );
    return texts.length === 0 ? [] : [[attribute, texts.join(", ")]];
  }
  return Object.entries(value as object).flatMap(([field, name]) => pairsOf(`${attribute}: ${field}`, name, place));
}
