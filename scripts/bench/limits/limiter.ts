/** How a server limits one account, and what it says of it. */
export interface ServerRules {
  /** Requests over `windowMs`; absent: no such limit. */
  readonly requests?: number;
  /** Input tokens over `windowMs`. */
  readonly tokens?: number;
  /** In which an empty bucket fills. Default: a minute. */
  readonly windowMs?: number;
  /** Whether requests count in a window that slides, instead of a bucket that fills. */
  readonly slides?: true;
  /** Whether refused calls count, too. */
  readonly countsRefused?: true;
  /** Most calls at one time. */
  readonly connections?: number;
  readonly replyMs: number;
  /** In whose words limits are told; absent: not at all. */
  readonly headers?: "openai" | "anthropic";
  /** Whether a refusal says when to come back. */
  readonly retryAfter?: boolean;
  /** Tokens that the limiter counts for one that the usage tells. Default: 1. */
  readonly counts?: number;
  /** Refuses one call every `everyMs` in the first `forMs`, asking to wait `askMs`. */
  readonly moody?: { readonly everyMs: number; readonly forMs: number; readonly askMs: number };
}

export interface Arrival {
  readonly taken: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** The account at the server: buckets that are full at first and fill by the millisecond, or a window that slides. */
export class Limiter {
  readonly #rules: ServerRules;
  readonly #start = Date.UTC(2026, 10, 22);
  #requests: number;
  #tokens: number;
  #arrivals: number[] = [];
  #atMs = 0;
  #inFlight = 0;
  #moodMs = Number.NEGATIVE_INFINITY;
  refused = 0;
  mostInFlight = 0;

  constructor(rules: ServerRules) {
    this.#rules = rules;
    this.#requests = rules.requests ?? 0;
    this.#tokens = rules.tokens ?? 0;
  }

  arrive(nowMs: number, promptTokens: number): Arrival {
    const { tokens, connections = Number.POSITIVE_INFINITY, counts = 1, countsRefused, moody } = this.#rules;
    this.#refill(nowMs);
    const cost = promptTokens * counts;
    const lacksMs = Math.max(
      this.#requestMs(nowMs),
      tokens === undefined ? 0 : (cost - this.#tokens) / this.#rate(tokens),
    );
    const inMood = moody !== undefined && nowMs < moody.forMs && nowMs - this.#moodMs >= moody.everyMs;
    if (inMood) this.#moodMs = nowMs;
    const taken = lacksMs <= 0 && !inMood && this.#inFlight < connections;
    if (taken || countsRefused) {
      this.#requests = Math.max(-1, this.#requests - 1);
      this.#arrivals.push(nowMs);
    }
    if (!taken) {
      this.refused += 1;
      return { taken, headers: { ...this.#told(nowMs), ...this.#asked(inMood ? moody.askMs : lacksMs) } };
    }
    this.#tokens -= cost;
    this.#inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
    return { taken, headers: this.#told(nowMs) };
  }

  leave(): void {
    this.#inFlight -= 1;
  }

  #rate = (limit: number): number => limit / (this.#rules.windowMs ?? MINUTE_MS);

  /** Until another request may be taken. */
  #requestMs(nowMs: number): number {
    const { requests, windowMs = MINUTE_MS, slides } = this.#rules;
    if (requests === undefined) return 0;
    if (!slides) return (1 - this.#requests) / this.#rate(requests);
    this.#arrivals = this.#arrivals.filter((atMs) => atMs > nowMs - windowMs);
    return (this.#arrivals.at(-requests) ?? Number.NEGATIVE_INFINITY) + windowMs - nowMs;
  }

  #refill(nowMs: number): void {
    const { requests = 0, tokens = 0 } = this.#rules;
    const ms = nowMs - this.#atMs;
    this.#requests = Math.min(requests, this.#requests + ms * this.#rate(requests));
    this.#tokens = Math.min(tokens, this.#tokens + ms * this.#rate(tokens));
    this.#atMs = nowMs;
  }

  #asked(lacksMs: number): Record<string, string> {
    if (this.#rules.retryAfter !== true && this.#rules.moody === undefined) return {};
    return { "retry-after": String(Math.max(1, Math.ceil(lacksMs / 1000))) };
  }

  #told(nowMs: number): Record<string, string> {
    const { requests, tokens, headers } = this.#rules;
    const all: Record<string, string> = { date: new Date(this.#start + nowMs).toUTCString() };
    if (headers === undefined) return all;
    if (requests !== undefined) this.#tell(all, nowMs, "requests", requests, Math.floor(Math.max(0, this.#requests)));
    if (tokens !== undefined && headers === "openai")
      this.#tell(all, nowMs, "tokens", tokens, Math.floor(Math.max(0, this.#tokens)));
    if (tokens !== undefined && headers === "anthropic")
      this.#tell(all, nowMs, "input-tokens", tokens, Math.round(Math.max(0, this.#tokens) / 1000) * 1000);
    return all;
  }

  #tell(all: Record<string, string>, nowMs: number, what: string, limit: number, remaining: number): void {
    const resetMs = (limit - remaining) / this.#rate(limit);
    if (this.#rules.headers === "anthropic") {
      const name = `anthropic-ratelimit-${what}`;
      const at = new Date(this.#start + nowMs + resetMs).toISOString().replace(/\.\d+Z$/, "Z");
      Object.assign(all, {
        [`${name}-limit`]: String(limit),
        [`${name}-remaining`]: String(remaining),
        [`${name}-reset`]: at,
      });
      return;
    }
    all[`x-ratelimit-limit-${what}`] = String(limit);
    all[`x-ratelimit-remaining-${what}`] = String(remaining);
    all[`x-ratelimit-reset-${what}`] = durationOf(resetMs);
  }
}

const MINUTE_MS = 60_000;

/** `6m0s`, `1.5s`, `250ms`. */
function durationOf(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const minutes = Math.floor(ms / MINUTE_MS);
  const seconds = Number(((ms % MINUTE_MS) / 1000).toFixed(3));
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
