import type { Hear } from "../limit-facts.js";
import { readLimits } from "./rate/headers.js";

/** Tells of the limits that a reply's headers name. */
export function hearLimits(headers: Headers, hear: Hear | undefined): void {
  const limits = hear === undefined ? undefined : readLimits(headers);
  if (limits !== undefined) hear?.(limits);
}

/** The body of a reply, once `hear` was told of the limits that its headers name. */
export async function heard<T>(
  sent: Promise<{ readonly data: T; readonly response: { readonly headers: Headers } }>,
  hear: Hear | undefined,
): Promise<T> {
  const { data, response } = await sent;
  hearLimits(response.headers, hear);
  return data;
}
