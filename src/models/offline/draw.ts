import { seeded } from "../../random/seeded.js";
import { contentId } from "../../text/content-id.js";
import type { ModelRequest } from "../../types.js";

/** The answer of a request: the likeliest at low temperatures, otherwise one draw that depends on nothing but the request. */
export function draw(answers: ReadonlyMap<string, number>, request: ModelRequest): string {
  const ranked = [...answers].sort((a, b) => b[1] - a[1]);
  const likeliest = ranked[0]?.[0] ?? "";
  const temperature = request.temperature ?? 0;
  if (temperature < coldest || ranked.length < 2) return likeliest;
  const odds = ranked.map(([, share]) => (share / (ranked[0]?.[1] ?? 1)) ** (1 / temperature));
  let left = seeded(contentId(request)).next() * odds.reduce((sum, value) => sum + value, 0);
  for (const [i, [answer]] of ranked.entries()) {
    left -= odds[i] ?? 0;
    if (left < 0) return answer;
  }
  return likeliest;
}

/** Below this the likeliest answer is given: close calls are not decided by chance at the papers' temperature of 0.1. */
const coldest = 0.2;
