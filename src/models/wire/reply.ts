import * as z from "zod";
import { isTooDeep, levelsOf, TOO_DEEP } from "../../text/json.js";
import type { Json, ModelReply, ModelRequest, Usage } from "../../types/index.js";
import { estimatedPromptTokens, estimatedReplyTokens } from "../tokens.js";

/** What a served body does not fit, and where: `choices[0].message: expected object, got null`. */
export interface Misfit {
  readonly misfit: string;
}

/** Returns a served body as its wire's schema reads it. Unknown fields are left alone. Never throws. */
export function readBody<T>(schema: z.ZodType<T>, body: unknown): { readonly body: T } | Misfit {
  if (isTooDeep(body)) return { misfit: TOO_DEEP };
  const read = schema.safeParse(body);
  return read.success ? { body: read.data } : { misfit: misfitOf(read.error.issues[0]!) };
}

/** Text that may be absent or null, as servers leave out what they do not know. */
export const textOrNothing = z.string().nullish();

/** A list that may be absent or null. */
export const listOrNothing = <T extends z.ZodType>(of: T) => z.array(of).nullish();

/** A name or id: some text. */
export const named = z.string().min(1);

/** A JSON object: what tools take. */
export const jsonObject = z.custom<{ readonly [name: string]: Json }>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value) && isKeepable(value),
  "expected object",
);

/** A block of a kind that this version does not know; of the `known` ones a misfit is told. */
export const otherThan = (...known: string[]) =>
  z.object({ type: z.string().refine((type) => !known.includes(type), "unknown block") }).transform(() => ({}));

/** Tells whether JSON can hold a value: parsers make infinity of 1e999, and infinity cannot be written down again. */
export function isKeepable(value: unknown): boolean {
  return [...levelsOf(value)].every((level) =>
    level.every((part) => typeof part !== "number" || Number.isFinite(part)),
  );
}

/** Returns the fields of whatever was served: none where it is no object. */
export function fieldsOf(served: unknown): Readonly<Record<string, unknown>> {
  return typeof served === "object" && served !== null ? { ...served } : {};
}

function misfitOf(issue: z.core.$ZodIssue): string {
  const inner = issue.code === "invalid_union" ? nearest(issue.errors) : undefined;
  const path = [...issue.path, ...(inner?.path ?? [])];
  const field = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return `${field.slice(1) || "the body"}: ${(inner ?? issue).message.replace(/^Invalid input: /, "")}`;
}

/** Returns the fault furthest inside of alternatives: one of another type was not meant. */
function nearest(alternatives: readonly (readonly z.core.$ZodIssue[])[]): z.core.$ZodIssue | undefined {
  const meant = alternatives.filter((issues) => issues.every(({ path }) => path.at(-1) !== "type"));
  const issues = (meant.length > 0 ? meant : alternatives).flat();
  return issues.toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Where a wire writes its token counts: paths inside of `usage`. */
export interface UsageFields {
  readonly in: string;
  readonly out: string;
  readonly cacheRead: string;
  readonly cacheWrite: string;
  /** Part of `cacheWrite`. */
  readonly cacheWrite1h?: string;
  readonly thinking?: string;
  /** Dollars that the call was billed at. */
  readonly billedUsd?: string;
  /** Whether `in` already counts cache reads and writes. */
  readonly inHoldsCache: boolean;
}

/**
 * Returns the usage of a reply. Only whole counts from 0 on are believed, and no 0 for a prompt with words; what is missing or
 * anything else is estimated from the texts, and the usage is marked `estimated`. Cache reads and writes are parts of `in`.
 */
export function readUsage(
  served: unknown,
  { inHoldsCache, ...paths }: UsageFields,
  [request, reply]: readonly [ModelRequest, Pick<ModelReply, "text" | "toolCalls">],
): Usage {
  const at = (path: string | undefined): unknown =>
    path?.split(".").reduce<unknown>((value, name) => fieldsOf(value)[name], served);
  const [told, wrote, billed] = [at(paths.in), at(paths.out), at(paths.billedUsd)];
  const [cacheRead, cacheWrite, hour, thinking] = [
    partOf(at(paths.cacheRead)),
    partOf(at(paths.cacheWrite)),
    partOf(at(paths.cacheWrite1h)),
    partOf(at(paths.thinking)),
  ];
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isNothing = count(told) === 0 && (inHoldsCache || cached === 0) && estimatedPromptTokens(request) > 0;
  const sent = isNothing ? undefined : count(told);
  const got = isNothing && wrote === 0 ? undefined : count(wrote);
  const fits = cacheRead !== undefined && cacheWrite !== undefined && (!inHoldsCache || cached <= (sent ?? 0));
  const believed = sent !== undefined && (fits || inHoldsCache);
  const isWhole = believed && fits && got !== undefined && thinking !== undefined;
  return {
    in: believed ? sent + (inHoldsCache ? 0 : cached) : estimatedPromptTokens(request),
    out: got ?? estimatedReplyTokens(reply),
    ...(believed && fits && cacheRead > 0 ? { cacheRead } : {}),
    ...(believed && fits && cacheWrite > 0 ? { cacheWrite } : {}),
    ...(believed && fits && hour && hour <= cacheWrite ? { cacheWrite1h: hour } : {}),
    ...(thinking ? { thinking } : {}),
    ...(isWhole ? {} : { estimated: true }),
    ...(isBill(billed) ? { billedUsd: billed } : {}),
  };
}

/** No single call has more tokens, or costs more dollars: a larger number is a mistake of the server. */
const MOST_TOKENS = 1_000_000_000;
const MOST_USD = 10_000;

const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : undefined;

const isBill = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= MOST_USD;

/** A count that servers leave out where it is nothing. */
const partOf = (value: unknown): number | undefined => (value === undefined || value === null ? 0 : count(value));
