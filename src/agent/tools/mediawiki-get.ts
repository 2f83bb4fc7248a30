import { boundedText } from "../../retry/bounded-body.js";
import { longWait, type RetryPolicy, retry, type Try } from "../../retry/retry.js";
import { retryAfterMs } from "../../retry/retry-after.js";
import type { Clock } from "../../types.js";

export interface MediawikiAccess {
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** `lamp-eval/0.1.0 (contact)`: Wikimedia's policy asks who is calling. */
  readonly userAgent: string;
  /** The API's address for a language; default `https://{lang}.wikipedia.org/w/api.php`. */
  readonly endpoint?: (lang: string) => string;
  /** Tries of one request; default 5. */
  readonly attempts?: number;
  /** Hears of long waits, one line each. */
  tell?(line: string): void;
}

type Parameters = Readonly<Record<string, string>>;
/** One API request: the parsed `query` result. */
export type MediawikiGet = (
  lang: string,
  parameters: Parameters,
  timeoutMs: number,
  signal: AbortSignal,
) => Promise<unknown>;

/** https://www.mediawiki.org/wiki/Manual:Maxlag_parameter: 5 for scripts that can wait. */
const MAXLAG_SECONDS = "5";
const POLICY: RetryPolicy = { tries: 5, firstWaitMs: 1000, longestWaitMs: 60_000 };

/**
 * Requests to MediaWiki APIs, one after the other (https://www.mediawiki.org/wiki/API:Etiquette). Waits as told by
 * Retry-After, else 1 s, 2 s, 4 s, ..., on 429, 503 and replication lag. Each try has `timeoutMs`; waiting for
 * one's turn does not count. Rejects with a short Error.
 */
export function mediawikiGet(access: MediawikiAccess): MediawikiGet {
  let last: Promise<unknown> = Promise.resolve();
  return (lang, parameters, timeoutMs, signal) => {
    const turn = last.then(() => getPatiently(access, urlOf(access, lang, parameters), timeoutMs, signal));
    last = turn.catch(() => undefined); // a failure is its caller's; the queue goes on
    return turn;
  };
}

function urlOf({ endpoint = wikipedia }: MediawikiAccess, lang: string, parameters: Parameters): string {
  const query = new URLSearchParams({
    action: "query",
    format: "json",
    formatversion: "2",
    maxlag: MAXLAG_SECONDS,
    ...parameters,
  });
  return `${endpoint(lang)}?${query.toString()}`;
}

const wikipedia = (lang: string): string => `https://${lang}.wikipedia.org/w/api.php`;

async function getPatiently(
  access: MediawikiAccess,
  url: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  return retry(
    () => {
      signal.throwIfAborted();
      return getOnce(access, url, timeoutMs, signal);
    },
    {
      policy: { ...POLICY, ...(access.attempts === undefined ? {} : { tries: access.attempts }) },
      wait(failed) {
        const line = longWait("Wikipedia", failed);
        if (line !== undefined) access.tell?.(line);
        return access.clock.sleep(failed.waitMs, signal);
      },
      gaveUp: (reason, tries) => new Error(`Wikipedia: ${reason}, ${tries} times`),
    },
  );
}

async function getOnce(
  access: MediawikiAccess,
  url: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Try<unknown, string>> {
  const response = await access.fetch(url, {
    headers: { "user-agent": access.userAgent, accept: "application/json" },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const content = await boundedText(response);
  const busy = (failure: string) => ({ failure, retryAfterMs: retryAfterMs(response.headers) });
  if (response.status === 429 || response.status === 503) return busy(`status ${response.status}`);
  if (!response.ok) throw new Error(`Wikipedia: status ${response.status}`);
  const body = parse(content);
  const error = errorOf(body);
  if (error === undefined) return { done: body };
  if (error.code === "maxlag") return busy("its servers lag behind");
  throw new Error(`Wikipedia: ${error.code}: ${error.info}`);
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new Error("Wikipedia: the answer is not JSON", { cause: error });
  }
}

function errorOf(body: unknown): { code: string; info: string } | undefined {
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined;
  const error = body.error as { readonly code?: unknown; readonly info?: unknown } | null;
  return { code: String(error?.code ?? "error"), info: String(error?.info ?? "") };
}
