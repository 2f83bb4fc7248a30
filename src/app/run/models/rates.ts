import type { SeenRates } from "../../../models/rate/limiters.js";
import type { Seen } from "../../../models/rate/server-slots.js";
import type { RateLimits } from "../../../report/plan/minutes.js";
import type { Manifest } from "../../../run/manifest.js";

/** What a run learned of its servers' patience, for the manifest: of those that told limits or refused. */
export function ratesOf(seen: readonly SeenRates[]): Pick<Manifest, "rates"> {
  const rates = seen
    .filter(({ servers }) => servers.some(isTelling))
    .map(({ name, servers }) => ({ name, servers: [...servers] }));
  return rates.length === 0 ? {} : { rates };
}

/** The limits a minute that a model's servers were seen to have, together; undefined where they told none. */
export function limitsSeen(
  seen: readonly { readonly name: string; readonly servers: readonly Pick<Seen, "limits">[] }[],
  model: string,
): RateLimits | undefined {
  const ofModel = seen.find(({ name }) => name === model) ?? (seen.length === 1 ? seen[0] : undefined);
  const sum = (measure: keyof Seen["limits"]): number | undefined => {
    const all = ofModel?.servers.map(({ limits }) => limits[measure]) ?? [];
    return all.length === 0 || all.includes(undefined) ? undefined : all.reduce<number>((a, b) => a + (b ?? 0), 0);
  };
  const limits = {
    ...{ requests: sum("requests"), tokensIn: sum("input"), tokensOut: sum("output"), tokens: sum("tokens") },
  };
  return Object.values(limits).every((limit) => limit === undefined) ? undefined : limits;
}

/** The same in a line for each endpoint that refused calls. */
export function rateLines(seen: readonly SeenRates[]): string[] {
  return seen.flatMap(({ name, servers }) => {
    const refused = servers.reduce((sum, server) => sum + server.refused, 0);
    if (refused === 0) return [];
    const started = servers.reduce((sum, server) => sum + server.started, 0);
    const limits = Object.entries(servers[0]?.limits ?? {}).map(([measure, n]) => `${n} ${words[measure] ?? measure}`);
    const known = limits.length === 0 ? "" : `; it allows ${limits.join(", ")} a minute`;
    return [`${name}: ${refused} of ${started} sends were refused for the moment (429, 529) and went again${known}`];
  });
}

const words: Readonly<Record<string, string>> = { input: "input tokens", output: "output tokens" };

const isTelling = ({ refused, limits }: Seen): boolean => refused > 0 || Object.keys(limits).length > 0;
