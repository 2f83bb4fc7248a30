import { Fields } from "../record.js";

export interface PaperProfile {
  readonly id: string;
  readonly items: readonly { readonly id: string; readonly attribute: string; readonly value: string }[];
}

type Pair = readonly [attribute: string, value: string];

const IDS = ["user_id", "id"];

/**
 * Reads a profile in one of three forms: attributes as fields (`{"Occupation": "Nurse", "Favorite foods": ["Dosa", "Chaat"]}`), in
 * sections (`{"Name": ..., "Demographics": {...}}`: PersonaFeedback's `all_personas.jsonl`), or lines (`["Occupation: Nurse"]`, as RUMS
 * prints them). The id is `user_id`, `id`, else the number in the file. Throws UsageError naming the place.
 */
export function profileOf(value: unknown, where: string, number: number): PaperProfile {
  const record = new Fields(Array.isArray(value) ? { lines: value } : value, where, "the profile");
  const name = IDS.map((id) => record.text(id)).find((id) => id !== undefined) ?? String(number);
  const own = Object.entries(record.values).filter(([field]) => !IDS.includes(field));
  const pairs = Array.isArray(value)
    ? record.list("lines").map((line) => pairOf(line, record))
    : own.flatMap(([field, one]) => pairsOf(field, one, record));
  if (pairs.length === 0) return record.refuse("a profile without an attribute");
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

function pairOf(line: unknown, record: Fields): Pair {
  const [, attribute, value] = (typeof line === "string" && /^([^:]+):(.*)$/s.exec(line)) || [];
  if (attribute === undefined || value === undefined)
    return record.refuse(`expected lines "attribute: value", found ${JSON.stringify(line)}`);
  return [attribute.trim(), value.trim()];
}

/** Sections are named before their attributes; empty values are left out. */
function pairsOf(attribute: string, value: unknown, record: Fields): Pair[] {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return [];
  if (typeof value !== "object") return [[attribute, String(value).trim()]];
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([field, one]) => pairsOf(`${attribute}: ${field}`, one, record));
  if (value.some((one) => typeof one === "object")) record.refuse(`${attribute}: a list of objects`);
  return [[attribute, value.join(", ")]];
}
