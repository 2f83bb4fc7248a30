import { sha256 } from "../text/content-id.js";
import type { Random } from "../types/index.js";

/** Returns a seeded stream (sfc32, seeded by the SHA-256 of the seed text). */
export function seeded(seed: string | number): Random {
  const name = String(seed);
  const digest = sha256(name);
  let a = Number.parseInt(digest.slice(0, 8), 16) | 0;
  let b = Number.parseInt(digest.slice(8, 16), 16) | 0;
  let c = Number.parseInt(digest.slice(16, 24), 16) | 0;
  let counter = 1;

  const uint32 = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i++) uint32(); // sfc32's usual warm-up

  const stream: Random = {
    next: () => (uint32() * 2 ** 21 + (uint32() >>> 11)) / 2 ** 53,
    below: (bound) => Math.floor(stream.next() * bound),
    sample(items, count) {
      const pool = [...items];
      const drawn = Math.min(count, pool.length);
      for (let i = 0; i < drawn; i++) {
        const j = i + stream.below(pool.length - i);
        [pool[i], pool[j]] = [pool[j] as (typeof pool)[number], pool[i] as (typeof pool)[number]];
      }
      return pool.slice(0, drawn);
    },
    fork: (label) => seeded(`${name}/${label}`),
  };
  return stream;
}
