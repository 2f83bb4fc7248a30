/** Type-strict key of an id as Python dictionaries compare them: "10" is not 10, but 1, 1.0 and true are one. Undefined: no id. */
export function idKey(id: string | number): string;
export function idKey(id: unknown): string | undefined;
export function idKey(id: unknown): string | undefined {
  if (typeof id === "string") return `text ${id}`;
  if (typeof id === "number" || typeof id === "boolean") return `number ${Number(id)}`;
  return id === null ? "null" : undefined;
}
