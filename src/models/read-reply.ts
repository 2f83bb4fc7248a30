import * as z from "zod";
import { isTooDeep, levelsOf, TOO_DEEP } from "../text/nesting.js";
import type { Json } from "../types/index.js";

/** What a served body does not fit, and where: `choices[0].message: expected object, got null`. */
export interface Misfit {
  readonly misfit: string;
}

/** A served body as its wire's schema reads it. Unknown fields are left alone. Never throws. */
export function readBody<T>(schema: z.ZodType<T>, body: unknown): { readonly body: T } | Misfit {
  if (isTooDeep(body)) return { misfit: TOO_DEEP };
  const read = schema.safeParse(body);
  if (read.success) return { body: read.data };
  return { misfit: misfitOf(read.error.issues[0]) };
}

/** Text that may be absent or null, as servers leave out what they do not know. */
export const textOrNothing = z.string().nullish();

/** A list that may be absent or null. */
export const listOrNothing = <T extends z.ZodType>(of: T) => z.array(of).nullish();

/** A JSON object: what tools take. */
export const jsonObject = z.custom<{ readonly [name: string]: Json }>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value) && isKeepable(value),
  "expected object",
);

/** Whether JSON can hold it: parsers make infinity of 1e999, and infinity cannot be written down again. */
export function isKeepable(value: unknown): boolean {
  return [...levelsOf(value)].every((level) =>
    level.every((part) => typeof part !== "number" || Number.isFinite(part)),
  );
}

/** A name or id: some text. */
export const named = z.string().min(1);

/** The fields of whatever was served: none where it is no object. */
export function fieldsOf(served: unknown): Readonly<Record<string, unknown>> {
  return typeof served === "object" && served !== null ? { ...served } : {};
}

function misfitOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return "not a reply of this protocol";
  const inner = issue.code === "invalid_union" ? nearest(issue.errors) : undefined;
  const path = [...issue.path, ...(inner?.path ?? [])];
  const field = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  return `${field.slice(1) || "the body"}: ${(inner ?? issue).message.replace(/^Invalid input: /, "")}`;
}

/**
 * The fault to report where no alternative fits: the one furthest inside, because an alternative of another type was not
 * meant.
 */
function nearest(alternatives: readonly (readonly z.core.$ZodIssue[])[]): z.core.$ZodIssue | undefined {
  const meant = alternatives.filter((issues) => issues.every(({ path }) => path.at(-1) !== "type"));
  const issues = (meant.length > 0 ? meant : alternatives).flat();
  return issues.toSorted((a, b) => b.path.length - a.path.length)[0];
}
