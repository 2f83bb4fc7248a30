import type { Json, Random } from "../../../src/types/index.js";

/** What a server sends back. */
export interface Served {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A reply with one to three faults in its structure, its bytes or its head, drawn from `random`. */
export function mutated(valid: Json, random: Random): Served {
  const tree = structuredClone(valid) as Json;
  const holder: Record<string, Json> = { body: tree };
  for (let faults = 1 + random.below(3); faults > 0; faults--) spoilTree(holder, random);
  const text = "body" in holder ? written(holder.body) : "";
  const body = random.below(8) === 0 ? spoilBytes(Buffer.from(text), random) : Buffer.from(text);
  return { body, ...headOf(random) };
}

/** The reply as it should be. */
export function intact(valid: Json): Served {
  return { status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(valid)) };
}

/** Numbers beyond the largest, and nesting deeper than a walker can follow, are put in as text. */
const written = (tree: Json | undefined): string =>
  JSON.stringify(tree)
    .replaceAll('"@huge@"', "1e999")
    .replaceAll(/"@deep(\d+)@"/g, (_, levels) => '[{"a":'.repeat(Number(levels)) + "1" + "}]".repeat(Number(levels)));

/** Puts something else at a random place of the tree, or takes it away. */
function spoilTree(holder: Record<string, Json>, random: Random): void {
  const places = placesOf(holder);
  const place = places[random.below(places.length)];
  if (place === undefined) return; // the whole body is gone already
  const { parent, key } = place;
  const fields = parent as Record<string, Json>;
  const old = fields[key]!;
  const kind = random.below(10);
  if (kind === 0) delete fields[key];
  else if (kind === 1) fields[key] = [old];
  else if (kind === 2) fields[key] = { value: old };
  else if (kind === 3 && Array.isArray(parent)) (parent as Json[]).splice(Number(key), 0, structuredClone(old) as Json);
  else if (kind === 4 && typeof old === "number") fields[key] = String(old);
  else if (kind === 5) {
    const other = places[random.below(places.length)]!;
    fields[key] = structuredClone((other.parent as Record<string, Json>)[other.key]!) as Json;
  } else fields[key] = STRANGE[random.below(STRANGE.length)]!(random);
}

interface Place {
  readonly parent: Json;
  readonly key: string;
}

function placesOf(parent: Json): Place[] {
  if (typeof parent !== "object" || parent === null) return [];
  return Object.entries(parent as Record<string, Json>).flatMap(([key, value]) => [
    { parent, key },
    ...placesOf(value),
  ]);
}

const STRANGE: readonly ((random: Random) => Json)[] = [
  () => null,
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -1,
  () => -0.5,
  () => 2.5,
  () => 1e308,
  () => 2 ** 53,
  () => "@huge@",
  () => "",
  () => " ",
  () => "NaN",
  () => "500",
  () => "\ud800",
  () => "\u0000\u001b[31m\r\n",
  () => "x".repeat(100_000),
  () => [],
  () => ({}),
  () => [null],
  () => [[]],
  () => ({ ["__proto__"]: { polluted: true }, constructor: null }),
  () => JSON.parse('{"__proto__": {"toString": 1}}') as Json,
  (random) => `@deep${30 + random.below(random.below(2) === 0 ? 40 : 20_000)}@`,
];

function spoilBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  switch (random.below(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.below(256)]), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([Buffer.from("\ufeff"), bytes]);
    case 3:
      return Buffer.concat([bytes, bytes]);
    case 4:
      return Buffer.from(bytes.toString("utf8"), "utf16le");
    default: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at]! ^= 1 << random.below(8);
      return flipped;
    }
  }
}

const STATUSES = [201, 204, 301, 302, 400, 401, 404, 413, 418, 429, 500, 503, 529, 599];
const TYPES = ["text/plain", "text/html", "application/json; charset=utf-16", "", "application/xml", ";;;"];
const WAITS = ["100000", "-1", "NaN", "soon", "1e9", "", "Sat, 21 Nov 2026 10:00:09 GMT"];

function headOf(random: Random): Omit<Served, "body"> {
  const plain = { "content-type": "application/json" };
  if (random.below(6) !== 0) return { status: 200, headers: plain };
  const status = random.below(3) === 0 ? 200 : STATUSES[random.below(STATUSES.length)]!;
  const headers: Record<string, string> = { ...plain, "retry-after": WAITS[random.below(WAITS.length)]! };
  if (random.below(2) === 0) headers["content-type"] = TYPES[random.below(TYPES.length)]!;
  if (status === 301 || status === 302) headers.location = "file:///etc/passwd";
  return { status, headers };
}
