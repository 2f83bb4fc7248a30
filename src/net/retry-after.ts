/** The part of a reply's headers that is asked here. */
export interface HeaderBag {
  get(name: string): string | null | undefined;
}

/**
 * What a server asked to wait, milliseconds: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110
 * 10.2.3), the date measured against the reply's own `date` header, so that no clock need agree; else `retryDelay` of a
 * `google.rpc.RetryInfo` among the `details` of the error that was served (Gemini). Undefined where it asked nothing that can be read.
 */
export function retryAfterMs(headers: HeaderBag, served?: unknown): number | undefined {
  const preciseMs = decimal(headers.get("retry-after-ms"));
  if (preciseMs !== undefined) return preciseMs;
  const asked = headers.get("retry-after");
  const seconds = decimal(asked);
  if (seconds !== undefined) return seconds * 1000;
  const waitMs = Date.parse(asked ?? "") - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(waitMs) ? retryInfoMs(served) : Math.max(0, waitMs);
}

function decimal(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}

interface Details {
  readonly details?: unknown;
}

/** The longest that any of the details asks for: a duration as protobuf writes it in JSON, `34.07s`. */
function retryInfoMs(served: unknown): number | undefined {
  const details = typeof served === "object" && served !== null ? (served as Details).details : undefined;
  if (!Array.isArray(details)) return undefined;
  const delays = details.flatMap((detail: { readonly "@type"?: unknown; readonly retryDelay?: unknown } | null) => {
    const { "@type": type, retryDelay } = detail ?? {};
    if (typeof type !== "string" || !type.endsWith("google.rpc.RetryInfo") || typeof retryDelay !== "string") return [];
    const seconds = decimal(/^(.*)s$/.exec(retryDelay)?.[1]);
    return seconds === undefined ? [] : [seconds * 1000];
  });
  return delays.length === 0 ? undefined : Math.max(...delays);
}
