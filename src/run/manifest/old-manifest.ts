import { join } from "node:path";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { isSimulated } from "../../models/index.js";
import { oneLine } from "../../text/one-line.js";
import { runFiles } from "../run-rows.js";
import { type Manifest, parseManifest, refuseDamaged, refuseNewer } from "./manifest.js";

/** A manifest of this or an older version, and which fields the older one did not have. */
interface OldManifest {
  readonly manifest: Manifest;
  /** Dotted names of the fields that had to be filled in. */
  readonly filled: readonly string[];
}

/** Reads leniently: what an older version did not write is filled with values that say so. Throws UsageError where there are no cells. */
export function readOldManifest(folder: string): OldManifest {
  const path = join(folder, runFiles.manifest);
  const value = readObject(path);
  const plan = isObject(value.plan) ? value.plan : {};
  const cells = Array.isArray(plan.cells) ? plan.cells : value.cells;
  if (!Array.isArray(cells) || cells.length === 0)
    throw new UsageError(`${path}: no plan.cells in it: these are not the records of a run`);
  const filled: string[] = [];
  const fill = (part: unknown, defaults: Fields, where: string): Fields => {
    const stored = isObject(part) ? part : {};
    filled.push(
      ...Object.keys(defaults)
        .filter((key) => stored[key] === undefined)
        .map((key) => `${where}${key}`),
    );
    return { ...defaults, ...stored };
  };
  const data = Array.isArray(plan.data) ? plan.data : [];
  const whole = {
    ...fill(value, { simulated: isEmbedded(cells), tasks: [], argv: [], startedAt: UNKNOWN_TIME, node: UNKNOWN }, ""),
    format: 1,
    plan: {
      ...fill(plan, { version: UNKNOWN, data: [], notApplied: [] }, "plan."),
      cells: cells.map((cell, i) => fill(cell, CELL_DEFAULTS, `plan.cells.${i}.`)),
      data: data.map((facts, i) => fill(facts, DATA_DEFAULTS, `plan.data.${i}.`)),
    },
  };
  return { manifest: parseManifest(whole, path), filled };
}

type Fields = Readonly<Record<string, unknown>>;

const UNKNOWN = "unknown";
const UNKNOWN_TIME = "1970-01-01T00:00:00.000Z";
const CELL_DEFAULTS = { dataset: UNKNOWN, model: UNKNOWN, options: {}, seed: 0, repeat: 0 };
const DATA_DEFAULTS = { name: UNKNOWN, files: [], facts: {}, units: "", wording: "" };

/** Numbers of the embedded model stay SIMULATED, whoever wrote the manifest. */
const isEmbedded = (cells: readonly unknown[]): boolean =>
  cells.some((cell) => isObject(cell) && isSimulated(String(cell.model)));

function readObject(path: string): Fields {
  try {
    const text = readText(path);
    const value: unknown = JSON.parse(text);
    refuseDamaged(text, path);
    refuseNewer(value, path);
    if (isObject(value)) return value;
    throw new UsageError(`${path}: not a manifest: expected an object`);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${path}: not JSON: ${oneLine(error)}`);
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UsageError(`${path}: no run here`);
    throw error;
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
