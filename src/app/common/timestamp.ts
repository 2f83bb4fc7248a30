import type { Io } from "../io.js";

/** Now, in ISO 8601, UTC. */
export const timestamp = ({ clock }: Pick<Io, "clock">): string => new Date(clock.now()).toISOString();
