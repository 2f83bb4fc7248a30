import * as z from "zod";
import { UsageError } from "../../errors.js";
import { sha256 } from "../../text/content-id.js";
import { placedIssue } from "../../text/schema-issue.js";
import { plainNames, productNames } from "./features.js";

const schema = z.object({
  kind: z.literal("rums-logreg"),
  version: z.literal(2),
  /** What it knows of an event, in the order of the weights: `plainNames`, then a score for each component. */
  features: z.array(z.string()),
  /** By label, its share of the past of the training users. */
  priors: z.record(z.string(), z.number()),
  /** Principal components of products of query and event vectors, number by number. */
  projection: z.object({
    mean: z.array(z.number()).readonly(),
    components: z.array(z.array(z.number()).readonly()).readonly(),
  }),
  /** Of the training cases: features are taken apart by them. */
  means: z.array(z.number()),
  deviations: z.array(z.number().positive()),
  bias: z.number(),
  weights: z.array(z.number()),
  /** Least share at which an event is chosen. */
  cutoff: z.number(),
  trainedOn: z.object({
    task: z.string(),
    embedder: z.string(),
    pairs: z.number(),
    chosen: z.number(),
    f1: z.number(),
    threshold: z.number(),
    /** Hashes of the users' ids: a run over one of them is refused. */
    users: z.array(z.string()),
  }),
});

/** A trained classifier as its file holds it. */
export type LogregFile = z.infer<typeof schema>;

/** The hash by which a file knows a user. */
export const userHash = (id: string): string => sha256(`rums-logreg user ${id}`).slice(0, 16);

/** Throws UsageError naming the file and the first field that is wrong. */
export function readLogreg(text: string, name: string): LogregFile {
  const read = schema.safeParse(parsed(text, name));
  const wrong = read.success ? misfit(read.data) : undefined;
  if (read.success && wrong === undefined) return read.data;
  const what = read.success ? wrong : placedIssue(read.error);
  throw new UsageError(`${name}: not a file of lamp-eval rums train: ${what}`);
}

/** What does not fit together, in a few words. */
function misfit({ features, weights, means, deviations, projection }: LogregFile): string | undefined {
  const { mean, components } = projection;
  const names = [...plainNames, ...productNames(components.length)];
  if (features.join() !== names.join()) return `features: expected ${names.join(", ")}`;
  if ([weights, means, deviations].some((list) => list.length !== names.length))
    return "weights: not one for each feature";
  return components.some((component) => component.length !== mean.length)
    ? "projection: components of another length than their mean"
    : undefined;
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${name}: not JSON`);
    throw error;
  }
}
