import { existsSync } from "node:fs";
import { demoFolder } from "../../data/formats/index.js";
import { defaultEmbedder } from "../../embedders/index.js";
import { UsageError } from "../../errors.js";
import { modelKnob, modelRoles } from "../../registry/further-models.js";
import type { OptionValue, Task } from "../../types/index.js";
import type { RunConfig } from "./settings.js";

/** What `--demo` puts in place of whatever a config names: nothing is downloaded, nothing is asked over a network. */
const replacements = {
  embedder: defaultEmbedder,
  "embedder.baseUrl": "",
  "embedder.similarity": "cosine",
  "model.reference": "",
  "model.reference.baseUrl": "",
  "model.judge": "",
  "model.judge.baseUrl": "",
  "wiki.mode": "replay",
  "wiki.fixture": "",
} as const;

export interface DemoProfile {
  /** Tasks with demo data. */
  readonly tasks: readonly string[];
  /** The options that win over all given ones. */
  readonly set: Readonly<Record<string, OptionValue>>;
  readonly axes: Readonly<Record<string, readonly OptionValue[]>>;
  /** What is replaced, for the table. */
  readonly remarks: readonly string[];
}

/** What the demo profile makes of a config. Throws UsageError where no task has demo data. */
export function demoProfile(
  { model, data, sweep = {} }: RunConfig,
  tasks: readonly Task[],
  given: Readonly<Record<string, OptionValue>>,
): DemoProfile {
  const has = (task: Task): boolean => existsSync(demoFolder(task));
  const known = tasks.filter(has).map(({ name }) => name);
  const missing = tasks.filter((task) => !has(task)).map(({ name }) => name);
  if (known.length === 0)
    throw new UsageError(`--demo: there is no demo data for ${missing.join(", ")}; name a folder with --data`);
  const fixed = ([knob]: readonly [string, unknown]): boolean => knob in replacements;
  const { embedder } = given;
  const further = modelRoles.map(modelKnob).flatMap((knob) => (given[knob] ? [`${knob} ${given[knob]}`] : []));
  const replaced = [
    ...(model === undefined ? [] : [model].flat()),
    ...further,
    ...(data === undefined ? [] : [`data ${data}`]),
    ...(embedder === undefined || embedder === replacements.embedder ? [] : [String(embedder)]),
    ...Object.entries(sweep)
      .filter(fixed)
      .map(([knob]) => `axis ${knob}`),
  ];
  return {
    tasks: known,
    set: Object.fromEntries(Object.entries(replacements).filter(([knob]) => knob in given)),
    axes: Object.fromEntries(Object.entries(sweep).filter((axis) => !fixed(axis))),
    remarks: [
      `demo profile: embedded model and encoder${replaced.length === 0 ? "" : ` instead of ${replaced.join(", ")}`}`,
      ...(missing.length === 0 ? [] : [`no demo data, left out: ${missing.join(", ")}`]),
    ],
  };
}
