import * as z from "zod";
import { UsageError } from "../../errors.js";
import { knownSecrets } from "../../net/known.js";
import { redactor } from "../../net/redactor.js";
import { holdsUrlSecret } from "../../net/url.js";
import { changedSetting } from "../../run/manifest.js";
import { type Manifest, manifestSchema, type RunPlan } from "../../run/manifest-shape.js";
import { type Catalogue, catalogueOf } from "../catalogue.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import type { CallSettings } from "../judge/open-judge.js";
import type { Prepared } from "../run/prepare.js";

/** What a worker needs to know of a run, or of a judge. */
const jobSchema = z.object({
  version: z.string(),
  kind: z.enum(["run", "judge"]),
  request: z.record(z.string(), z.unknown()),
  /** Of a run. */
  plan: z.looseObject({}).optional(),
  plugins: z.array(z.object({ name: z.string(), hash: z.string() })),
  endpoints: manifestSchema.shape.endpoints,
});

export type Job = z.infer<typeof jobSchema>;

/** Parts of a request that are of this process alone, or that the database holds in columns of their own. */
const OWN = ["workers", "signal", "kill", "onEvent", "argv", "out", "concurrency"];
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
  const { plugins } = settings.catalogue;
  return written({ kind: "run", request: Object.fromEntries(entries), plan, plugins, endpoints }, io);
}

/** The job of a judge's calls. Throws UsageError where its settings hold a secret. */
export function jobOfCalls({ model, baseUrl }: CallSettings, provider: string, io: Io): string {
  const plugins = catalogueOf(io).plugins.filter(({ brings }) => brings.includes(`provider ${provider}`));
  return written({ kind: "judge", request: { model, baseUrl }, plan: undefined, plugins, endpoints: undefined }, io);
}

function written(
  { plugins, ...job }: Omit<Job, "version" | "plugins"> & Pick<Catalogue, "plugins">,
  io: Pick<Io, "env">,
): string {
  const full: Job = { ...job, version: version(), plugins: plugins.map(({ name, hash }) => ({ name, hash })) };
  const text = JSON.stringify(full);
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
export function readJob(text: string): Job {
  const job = jobSchema.safeParse(JSON.parse(text));
  const of = job.data?.version ?? "another version";
  if (!job.success || of !== version())
    throw new UsageError(`the run is of lamp-eval ${of}, this worker is ${version()}; install the same version`);
  return job.data;
}

/** Throws UsageError where a plug-in is not here, or is another. */
export function refuseOtherPlugins({ plugins }: Pick<Job, "plugins">, here: Pick<Catalogue, "plugins">): void {
  for (const { name, hash } of plugins) {
    const now = here.plugins.find((one) => one.name === name);
    if (now?.hash !== hash)
      throw new UsageError(
        `plug-in ${name} ${now === undefined ? "is not at hand here" : "is another here"}; bring the run's`,
      );
  }
}

/** Throws UsageError where this worker would not do what the run's process planned. */
export function refuseOtherPlan({ plan }: Pick<Job, "plan">, here: RunPlan): void {
  const changed = changedSetting(plan ?? {}, JSON.parse(JSON.stringify(here)));
  if (changed !== undefined)
    throw new UsageError(
      `${changed.path} is ${changed.was} in the run and ${changed.is} here; give this worker the same data, config and files`,
    );
}
