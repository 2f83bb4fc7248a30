/**
 * What a server asked to wait, milliseconds: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110
 * 10.2.3), the date measured against the reply's own `date` header, so that no clock need agree.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const preciseMs = decimal(headers.get("retry-after-ms"));
  if (preciseMs !== undefined) return preciseMs;
  const asked = headers.get("retry-after");
  const seconds = decimal(asked);
  if (seconds !== undefined) return seconds * 1000;
  const waitMs = Date.parse(asked ?? "") - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

// --- internal ---

function decimal(value: string | null): number | undefined {
  return value !== null && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
