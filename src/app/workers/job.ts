import * as z from "zod";
import { UsageError } from "../../errors.js";
import { knownSecrets } from "../../net/known.js";
import { redactor } from "../../net/redactor.js";
import { holdsUrlSecret } from "../../net/url.js";
import { changedSetting } from "../../run/manifest.js";
import type { Manifest, RunPlan } from "../../run/manifest-shape.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { pluginFacts } from "../plugins/plugins.js";
import type { Prepared } from "../run/prepare.js";

/** What a worker needs to know of a run. */
const jobSchema = z.object({
  version: z.string(),
  request: z.record(z.string(), z.unknown()),
  plan: z.looseObject({}),
  plugins: z.array(z.looseObject({ name: z.string() })),
  endpoints: z.looseObject({}).optional(),
  caps: z.object({ maxCalls: z.number().optional(), maxUsd: z.number().optional() }),
});

export interface RunJob extends Omit<z.infer<typeof jobSchema>, "plan" | "plugins" | "endpoints"> {
  readonly plan: RunPlan;
  readonly plugins: NonNullable<Manifest["plugins"]>;
  readonly endpoints?: Manifest["endpoints"];
}

/** Parts of a request that are of this process alone, or that the database holds in columns of their own. */
const OWN = ["workers", "signal", "kill", "onEvent", "argv", "out", "pilot", "yes", "concurrency", "drainSeconds"];
/** Own things of a program: no other process has them. */
const THINGS = ["tasks", "methods", "metrics", "retrievers", "selectors", "judges", "embedders", "providers"];

/** The job of a prepared run. Throws UsageError on what cannot be handed to another process, or must not be written down. */
export function jobOf({ request, plan, settings, io }: Prepared, endpoints: Manifest["endpoints"]): string {
  const entries = Object.entries(request).filter(([key, value]) => value !== undefined && !OWN.includes(key));
  const foreign = entries.find(
    ([key, value]) =>
      THINGS.includes(key) || [value].flat().some((one) => typeof one === "object" && one !== null && "name" in one),
  );
  if (foreign !== undefined)
    throw new UsageError(`--workers: ${foreign[0]}: other processes do not have it; bring it by a plug-in`);
  const { maxCalls, maxUsd } = settings;
  const job: RunJob = {
    version: version(),
    request: Object.fromEntries(entries),
    plan,
    plugins: pluginFacts(settings.catalogue).plugins ?? [],
    ...(endpoints === undefined ? {} : { endpoints }),
    caps: { ...(maxCalls === undefined ? {} : { maxCalls }), ...(maxUsd === undefined ? {} : { maxUsd }) },
  };
  const text = JSON.stringify(job);
  refuseSecret(text, io);
  return text;
}

/** Throws UsageError where the settings hold a key or a login: the database must not. */
function refuseSecret(text: string, { env }: Pick<Io, "env">): void {
  if (redactor(knownSecrets(env).values).text(text) === text && !holdsUrlSecret(text)) return;
  throw new UsageError(
    "--workers: the settings hold a key or a login, which the database must not; give it by a variable in each worker's environment",
  );
}

/** Reads a job. Throws UsageError where another version of lamp-eval wrote it. */
export function readJob(text: string): RunJob {
  const job = jobSchema.safeParse(JSON.parse(text));
  const of = job.data?.version ?? "another version";
  if (!job.success || of !== version())
    throw new UsageError(`the run is of lamp-eval ${of}, this worker is ${version()}; install the same version`);
  return job.data as unknown as RunJob; // jobOf wrote it, in this version
}

/** Throws UsageError where this worker would not do what the run's process planned. */
export function refuseOther({ plan, plugins }: RunJob, prepared: Prepared): void {
  const here = pluginFacts(prepared.settings.catalogue).plugins ?? [];
  for (const { name, hash } of plugins) {
    const now = here.find((one) => one.name === name);
    if (now?.hash !== hash)
      throw new UsageError(
        `plug-in ${name} ${now === undefined ? "is not at hand here" : "is another here"}; bring the run's`,
      );
  }
  const changed = changedSetting(plan, JSON.parse(JSON.stringify(prepared.plan)));
  if (changed !== undefined)
    throw new UsageError(
      `${changed.path} is ${changed.was} in the run and ${changed.is} here; give this worker the same data, config and files`,
    );
}
