/** The part of a reply's headers that is asked here. */
export interface HeaderBag {
  get(name: string): string | null | undefined;
}

/**
 * What a server asked to wait, milliseconds: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110
 * 10.2.3), the date measured against the reply's own `date` header, so that no clock need agree. Undefined where it asked
 * nothing that can be read.
 */
export function retryAfterMs(headers: HeaderBag): number | undefined {
  const preciseMs = decimal(headers.get("retry-after-ms"));
  if (preciseMs !== undefined) return preciseMs;
  const asked = headers.get("retry-after");
  const seconds = decimal(asked);
  if (seconds !== undefined) return seconds * 1000;
  const waitMs = Date.parse(asked ?? "") - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

// --- internal ---

function decimal(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}
