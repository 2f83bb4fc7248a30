import { inLoop } from "../models/cache-marks.js";
import type { Capabilities, ModelRequest, PhaseAt } from "../types/index.js";

/** What a call was made for. */
export interface CallOrigin {
  readonly cell: string;
  /** Empty for what all units of a cell share. */
  readonly unit: string;
  /** Absent: the preparation of the unit. */
  readonly question?: string;
  readonly phase: PhaseAt;
}

/** A request that the plan of a run walks through. */
export interface PlannedRequest {
  readonly request: ModelRequest;
  readonly origin: CallOrigin;
}

/** How much of a request other calls of the run begin with: characters of its first message, 0 for the system prompt alone. */
export type OpeningOf = (request: ModelRequest, origin: CallOrigin) => number | undefined;

/** The reply that stands in for one that is not known yet: no other text has it, so prompts that rest on it are told apart. */
export const unknownReply = (key: string): string => `w${key.slice(0, NAME_DIGITS)} `;

/**
 * The openings that a provider's cache saves on. A prompt's opening is written once at 1.25 times its price and read at a tenth by all
 * others, so two calls are enough; of nested openings those are taken that save most. Where an opening rests on replies
 * only a whole system prompt is known to be the same, by where the call comes from.
 */
export function sharedOpenings(
  planned: readonly PlannedRequest[],
  cache: NonNullable<Capabilities["cache"]>,
): OpeningOf {
  const least = cache.minTokens * cache.bytesPerToken;
  const single = planned.filter(({ request }) => !inLoop(request));
  const sorted = single.map(opening).sort((a, b) => (a.text < b.text ? -1 : 1));
  const prefixes = new Map<string, Set<string>>();
  const systems = new Set<string>();
  const walked = new Map<string, number>();
  for (const { name } of sorted) walked.set(name, (walked.get(name) ?? 0) + 1);
  for (const { members, length } of best(sorted, sharedLengths(sorted), least).groups) {
    const prefix = members[0]!.text.slice(0, length); // groups have two members at least
    if (UNKNOWN.test(prefix))
      for (const { name } of members.filter((one) => walked.get(one.name) === 1)) systems.add(name);
    else prefixes.set(startOf(prefix), (prefixes.get(startOf(prefix)) ?? new Set()).add(prefix));
  }
  return (request, origin) => {
    if (inLoop(request)) return undefined;
    const { text, head, name } = opening({ request, origin });
    const known = [...(prefixes.get(startOf(text)) ?? [])].filter((prefix) => text.startsWith(prefix));
    const longest = Math.max(...known.map(({ length }) => length));
    if (known.length > 0) return text.slice(longest).trim() === "" ? undefined : longest - head;
    return systems.has(name) ? 0 : undefined;
  };
}

const NAME_DIGITS = 31;
const UNKNOWN = /w[0-9a-f]{31} /;
/** Openings are looked up by so many characters: fewer than any shortest prefix of a provider has. */
const START = 256;
const startOf = (text: string): string => text.slice(0, START);

/** What a write costs over a plain token, and what a read saves of it. */
const [WRITE_FEE, READ_GAIN] = [0.25, 0.9];

interface Opening {
  readonly text: string;
  /** Characters before the first message. */
  readonly head: number;
  /** Where the call comes from. */
  readonly name: string;
}

function opening({ request: { system = "", messages }, origin }: PlannedRequest): Opening {
  const [first] = messages;
  return {
    text: `${system}\n${first?.role === "user" ? first.content : ""}`,
    head: system.length + 1,
    name: [origin.cell, origin.unit, origin.question ?? "", origin.phase].join("\t"),
  };
}

/** Of each but the last: how many characters it begins with as the next does. */
const sharedLengths = (sorted: readonly Opening[]): number[] =>
  sorted.slice(1).map(({ text, head }, index) => {
    const before = sorted[index]!; // one for each but the first
    if (before.head !== head) return Math.min(common(before.text, text), Math.min(before.head, head) - 1);
    return common(before.text, text);
  });

function common(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

interface Group {
  readonly members: readonly Opening[];
  readonly length: number;
}

interface Choice {
  readonly saved: number;
  readonly groups: readonly Group[];
}

const NOTHING: Choice = { saved: 0, groups: [] };

/** The division of neighbours into groups of one opening each that saves most. */
function best(sorted: readonly Opening[], shared: readonly number[], least: number): Choice {
  const [first] = sorted;
  if (first === undefined || sorted.length < 2) return NOTHING;
  const shortest = shared.reduce((a, b) => Math.min(a, b));
  const length = markable(first, shortest);
  const bytes = Buffer.byteLength(first.text.slice(0, length));
  const saved = bytes < least ? 0 : bytes * (READ_GAIN * (sorted.length - 1) - WRITE_FEE);
  if (shortest === Math.max(...shared)) return saved > 0 ? { saved, groups: [{ members: sorted, length }] } : NOTHING;
  const parts = dividedAt(shared, shortest).map(([from, to]) =>
    best(sorted.slice(from, to), shared.slice(from, to - 1), least),
  );
  const divided = {
    saved: parts.reduce((sum, part) => sum + part.saved, 0),
    groups: parts.flatMap((part) => part.groups),
  };
  return divided.saved >= saved ? divided : { saved, groups: [{ members: sorted, length }] };
}

/** Runs of neighbours that share more than so much. */
function dividedAt(shared: readonly number[], shortest: number): (readonly [number, number])[] {
  const ends = shared.flatMap((length, index) => (length === shortest ? [index + 1] : []));
  return [0, ...ends].map((from, index) => [from, ends[index] ?? shared.length + 1] as const);
}

/** Up to where a mark may stand: behind a line or word of the first message, or behind the system prompt; 0 where nowhere. */
function markable({ text, head }: Opening, shared: number): number {
  const unknown = text.slice(0, shared).search(UNKNOWN);
  if (shared < head) return 0;
  if (unknown >= 0 && unknown < head) return head;
  const known = text.slice(0, unknown < 0 ? shared : unknown);
  const line = known.lastIndexOf("\n") + 1;
  const end = line > head ? line : known.lastIndexOf(" ") + 1;
  return end > head ? end : head === 1 ? 0 : head;
}
