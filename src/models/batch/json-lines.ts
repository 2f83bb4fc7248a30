import { fieldsOf } from "../read-reply.js";

/** The objects of a JSON Lines text by their `custom_id`, the first of equal ones. What cannot be read, or names none, is left out. */
export function linesById(text: string): Map<string, Readonly<Record<string, unknown>>> {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const line of text.split("\n")) {
    const fields = fieldsOf(parsed(line));
    const id = fields.custom_id;
    if (typeof id === "string" && !found.has(id)) found.set(id, fields);
  }
  return found;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // whoever misses its line asks again
  }
}
