import type { SharedCodec } from "../../types.js";

/** Builds a value once per cell and, with a codec, keeps it between runs: `shared` of a kit, for builds that ask nothing. */
export type Keep = <T>(key: string, build: () => Promise<T>, codec?: SharedCodec<T>) => Promise<T>;
