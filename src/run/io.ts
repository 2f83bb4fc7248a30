import type { Clock } from "../types/index.js";
import type { Catalogue } from "./catalogue.js";

/** The outside world as use cases see it: handed in, so that each of them is testable. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Version of Node, for manifests. */
  readonly node: string;
  /** What has a name. Absent: what is built in. */
  readonly catalogue?: Catalogue;
  /** Hands a remark, one line or a few, to whoever runs the use case. */
  tell(line: string): void;
}

/** Now, in ISO 8601, UTC. */
export const timestamp = ({ clock }: Pick<Io, "clock">): string => new Date(clock.now()).toISOString();
