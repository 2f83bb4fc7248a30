import { UsageError } from "../errors.js";
import type { ArmSpec, OptionValue } from "../types/index.js";
import type { Lack } from "./lacks.js";
import { groupBy } from "./samples.js";

/** All that repeats of an arm have in common: everything but id and repeat number. */
const armKey = (arm: ArmSpec): string => JSON.stringify({ ...arm, id: "", repeat: 0 });

/** Returns the arms, each as its repeats: specs that differ only in their repeat number. No arm is empty. */
export const armsOf = (arms: readonly ArmSpec[]): ArmSpec[][] => [...groupBy(arms, armKey).values()];

export function ofArm<T extends { readonly arm: string }>(records: readonly T[], arm: readonly ArmSpec[]): T[] {
  const ids = new Set(arm.map(({ id }) => id));
  return records.filter(({ arm: armId }) => ids.has(armId));
}

/** The history that an arm's method was given: the user's own (`right`) where nothing else is said. */
export const controlOf = ({ options }: Pick<ArmSpec, "options">): OptionValue => options["history.control"] ?? "right";

/** Returns the settings by which an arm differs from others of its task and method, model and seed among them. */
export function ownSettings(arm: ArmSpec, arms: readonly ArmSpec[]): ArmSpec["options"] {
  const { task, method, dataset } = arm;
  const peers = arms.filter((one) => one.task === task && one.method === method && one.dataset === dataset);
  return differing(settingsOf(arm), peers.map(settingsOf));
}

/** Returns the same as a text: `rag.k=4 memory.k=2`. */
export const variantOf = (arm: ArmSpec, arms: readonly ArmSpec[]): string => settingsText(ownSettings(arm, arms));

const settingsText = (settings: ArmSpec["options"]): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/** Returns all settings of an arm, without the files of imported predictions, which its method's name tells apart. */
export const settingsOf = ({ model, options, seed }: Pick<ArmSpec, "model" | "options" | "seed">): ArmSpec["options"] =>
  Object.fromEntries(Object.entries({ model, ...options, seed }).filter(([name]) => !name.startsWith("import.")));

/**
 * Returns the settings in which at least one of the others differs, or which it lacks. Options that come with a selector tell only
 * arms of that selector apart: its name tells it from others.
 */
export function differing(settings: ArmSpec["options"], others: readonly ArmSpec["options"][]): ArmSpec["options"] {
  const isOther = (other: ArmSpec["options"], name: string): boolean =>
    other[name] !== settings[name] &&
    (other[name] !== undefined || name === "select" || other.select === settings.select);
  const entries = Object.entries(settings).filter(([name]) => others.some((other) => isOther(other, name)));
  return Object.fromEntries(entries);
}

/** Returns the same as a text. */
export const settingsApart = (settings: ArmSpec["options"], others: readonly ArmSpec["options"][]): string =>
  settingsText(differing(settings, others));

interface NamedArm {
  readonly method: string;
  readonly variant: string;
  readonly lacks?: readonly Lack[] | undefined;
}

/** `rag (rag.k=4)`: the method, what tells this arm from others of it, and marks of what it did without. */
export const armLabel = ({ variant, ...arm }: NamedArm): string =>
  methodLabel({ ...arm, method: variant === "" ? arm.method : `${arm.method} (${variant})` });

/** The method alone, with those marks. */
export const methodLabel = ({ method, lacks = [] }: Omit<NamedArm, "variant">): string =>
  [method, ...lacks.map(({ mark }) => `(${mark})`)].join(" ");

/** Returns whether a name means an arm with these settings: `rag`, `rag rag.k=2`, `rag (history.control=none)`. */
export function isNamed({ method }: Pick<ArmSpec, "method">, settings: ArmSpec["options"], name: string): boolean {
  const own = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  const words = name.replace(/[()]/g, " ").trim().split(/\s+/);
  const [named, given] = [false, true].map((isSetting) => words.filter((word) => word.includes("=") === isSetting));
  return method === named!.join(" ") && given!.every((word) => own.includes(word));
}

/**
 * Returns the one arm that a name means, with settings where several arms are of one method (`rag rag.k=2`). Throws UsageError
 * naming the arms where there is none, or several. `where` begins the message.
 */
export function armNamed(name: string, arms: readonly (readonly ArmSpec[])[], where: string): readonly ArmSpec[] {
  const found = arms.filter(([arm]) => isNamed(arm!, settingsOf(arm!), name)); // no arm is empty
  if (found.length === 1) return found[0]!;
  const firsts = (found.length === 0 ? arms : found).map(([arm]) => arm!);
  const all = firsts.map((arm) => `${arm.method} ${variantOf(arm, firsts)}`.trim());
  throw new UsageError(`${where}: ${found.length === 0 ? "no arm" : "several arms"} ${name}; arms: ${all.join("; ")}`);
}
