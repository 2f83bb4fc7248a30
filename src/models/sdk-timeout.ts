/**
 * Given to every SDK so that none falls back to a shorter limit of its own. The deadline that counts is the
 * retrying wrapper's: SDK timeouts cover the headers but not a stalled body (docs/PROVIDERS.md, Retries).
 */
export const SDK_TIMEOUT_MS = 3_600_000;
