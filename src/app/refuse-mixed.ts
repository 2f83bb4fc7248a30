import { UsageError } from "../errors.js";

interface Named {
  readonly name: string;
  readonly simulated: boolean;
}

/** Throws UsageError where only one of the two is SIMULATED; `rule` says what holds instead. */
export function refuseMixed(a: Named, b: Named, rule: string): void {
  if (a.simulated === b.simulated) return;
  const [simulated, real] = a.simulated ? [a, b] : [b, a];
  throw new UsageError(`${simulated.name} is SIMULATED (embedded model) and ${real.name} is not: ${rule}`);
}
