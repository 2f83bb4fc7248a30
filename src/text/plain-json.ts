/**
 * The canonical JSON of plain data, without a copy in the order of keys: what it gives is what JSON.stringify gives of such a copy.
 * Undefined of what is not plain through and through: texts, numbers, truth values and null, in lists and in objects without a
 * class of their own. Members that are undefined are left out.
 */
export function plainCanonicalJson(value: unknown): string | undefined {
  if (typeof value === "string") return quoted(value);
  if (value === null || typeof value === "number" || typeof value === "boolean") return JSON.stringify(value);
  if (typeof value !== "object") return undefined;
  return Array.isArray(value) ? listText(value) : objectText(value as Readonly<Record<string, unknown>>);
}

function listText(list: readonly unknown[]): string | undefined {
  let text = "[";
  for (let i = 0; i < list.length; i++) {
    const part = plainCanonicalJson(list[i]);
    if (part === undefined) return undefined;
    text += i === 0 ? part : `,${part}`;
  }
  return `${text}]`;
}

function objectText(value: Readonly<Record<string, unknown>>): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || typeof value.toJSON === "function") return undefined;
  const { names, heads } = shapeOf(Object.keys(value));
  let text = "";
  for (let i = 0; i < names.length; i++) {
    const member = value[names[i]!];
    if (member === undefined) continue;
    const part = plainCanonicalJson(member);
    if (part === undefined) return undefined;
    text += text === "" ? heads[i]! + part : `,${heads[i]!}${part}`;
  }
  return `{${text}}`;
}

/** Texts without a sign that has to be escaped. */
const UNESCAPED = /^[ !#-[\]-~]*$/;

/** The same text often comes twice running: an event's content is its document and one of its fields. */
const last = { text: "", quoted: '""' };

function quoted(text: string): string {
  if (text !== last.text) {
    last.text = text;
    last.quoted = UNESCAPED.test(text) ? `"${text}"` : JSON.stringify(text);
  }
  return last.quoted;
}

/** What objects of the same keys have in common. */
interface Shape {
  readonly given: readonly string[];
  readonly names: readonly string[];
  /** By name, it with its quotes and colon. */
  readonly heads: readonly string[];
}

/** Things come many of a kind, so the last shapes are remembered. */
const lastShapes: Shape[] = [];
const KEPT_SHAPES = 8;

function shapeOf(given: readonly string[]): Shape {
  for (const shape of lastShapes) if (areSame(shape.given, given)) return shape;
  const names = canonicalOrder(given);
  const shape = { given, names, heads: names.map((name) => `${JSON.stringify(name)}:`) };
  if (lastShapes.unshift(shape) > KEPT_SHAPES) lastShapes.pop();
  return shape;
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The keys as they stand in canonical JSON: sorted, but for those that look like numbers, which every object puts first. */
function canonicalOrder(keys: readonly string[]): readonly string[] {
  const ordered = Object.create(null) as Record<string, null>;
  for (const key of [...keys].sort()) ordered[key] = null;
  return Object.keys(ordered);
}
