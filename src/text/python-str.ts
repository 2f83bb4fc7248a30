/**
 * Python `str()` of a JSON value: `None`, `True`, `['a', 1]`. JSON's `1` and `1.0` cannot be told apart here, both give `1`.
 * Needed because the official scorer compares `str(output)`: the list `[1]` reads as the label `[1]`.
 */
export function pythonStr(value: unknown): string {
  return typeof value === "string" ? value : pythonRepr(value);
}

function pythonRepr(value: unknown): string {
  if (typeof value === "string") return `'${value.replace(/['\\]/g, "\\$&")}'`;
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(", ")}]`;
  if (typeof value === "object") {
    const entries = Object.entries(value).map(([key, part]) => `${pythonRepr(key)}: ${pythonRepr(part)}`);
    return `{${entries.join(", ")}}`;
  }
  return String(value);
}
