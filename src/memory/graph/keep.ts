import type { SharedContent } from "../../types.js";

/**
 * Builds a value once per cell; with a content id once for all cells with this pool, and with a codec it is kept between runs:
 * `shared` of a kit, for builds that ask nothing.
 */
export type Keep = <T>(key: string, build: () => Promise<T>, made?: SharedContent<T>) => Promise<T>;
