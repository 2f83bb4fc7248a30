import { UsageError } from "../errors.js";
import type { Option } from "../types.js";

/** A temperature, or `run`: that of the run (undefined). */
export function runTemperature(help: string): Option<number | undefined> {
  const accepts = "run, or a number from 0 to 2";
  const read = (name: string, value: string | number | boolean): number | undefined => {
    if (value === "run") return undefined;
    const degrees = typeof value === "string" && value.trim() === "" ? Number.NaN : Number(value);
    if (typeof value === "boolean" || !(degrees >= 0 && degrees <= 2))
      throw new UsageError(`${name}=${value}: expected ${accepts}`);
    return degrees;
  };
  return { default: "run", help, accepts, read, canonical: (name, value) => read(name, value) ?? "run" };
}
