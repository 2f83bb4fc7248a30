import * as z from "zod";
import { UsageError } from "../../errors.js";
import { sha256 } from "../../text/content-id.js";
import { placedIssue } from "../../text/schema-issue.js";
import { plainNames, productNames } from "./features.js";

const schema = z.object({
  kind: z.literal("rums-binary"),
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

/** A trained classifier of pairs of question and event, as its file holds it. */
export type BinaryFile = z.infer<typeof schema>;

const multiSchema = z.object({
  kind: z.literal("rums-multi"),
  /** What the events of all users have, in the order of the models. */
  attributes: z.array(z.string()),
  /** Principal components of vectors of questions. */
  projection: z.object({
    mean: z.array(z.number()).readonly(),
    components: z.array(z.array(z.number()).readonly()).readonly(),
  }),
  means: z.array(z.number()),
  deviations: z.array(z.number().positive()),
  models: z.array(z.object({ bias: z.number(), weights: z.array(z.number()) })),
  /** Least share at which an attribute is chosen. */
  cutoff: z.number(),
  trainedOn: z.object({
    task: z.string(),
    embedder: z.string(),
    f1: z.number(),
    threshold: z.number(),
    /** Hashes of the questions: a run over one of them is refused. */
    questions: z.array(z.string()),
  }),
});

/** A trained classifier of questions by attributes. */
export type MultiFile = z.infer<typeof multiSchema>;

const onnxSchema = z.object({
  kind: z.literal("onnx"),
  /** A folder, in full, or a name of the hub: a model for sequence classification. */
  model: z.string(),
  cutoff: z.number(),
  /** Of rums-multi: what its outputs stand for, in order. */
  attributes: z.array(z.string()).optional(),
});

/** A model of the user's own. */
export type OnnxFile = z.infer<typeof onnxSchema>;

/** The hash by which a file knows a user. */
export const userHash = (id: string): string => sha256(`rums-binary user ${id}`).slice(0, 16);

/** The hash by which a file knows a question. */
export const questionHash = (text: string): string => sha256(`rums-multi question ${text}`).slice(0, 16);

/** The user's own model, where the file names one. Throws UsageError as the others. */
export function readOnnx(text: string, name: string): OnnxFile | undefined {
  const value = parsed(text, name);
  if ((value as { readonly kind?: unknown } | null)?.kind !== "onnx") return undefined;
  const read = onnxSchema.safeParse(value);
  if (!read.success) throw new UsageError(`${name}: ${placedIssue(read.error)}`);
  return read.data;
}

/** Throws UsageError naming the file and the first field that is wrong. */
export function readMulti(text: string, name: string): MultiFile {
  const read = multiSchema.safeParse(parsed(text, name));
  if (!read.success)
    throw new UsageError(`${name}: not a file of lamp-eval rums train --multi: ${placedIssue(read.error)}`);
  if (read.data.models.length === read.data.attributes.length) return read.data;
  throw new UsageError(`${name}: not a file of lamp-eval rums train --multi: models: not one for each attribute`);
}

/** Throws UsageError naming the file and the first field that is wrong. */
export function readBinary(text: string, name: string): BinaryFile {
  const read = schema.safeParse(parsed(text, name));
  const wrong = read.success ? misfit(read.data) : undefined;
  if (read.success && wrong === undefined) return read.data;
  const what = read.success ? wrong : placedIssue(read.error);
  throw new UsageError(`${name}: not a file of lamp-eval rums train: ${what}`);
}

/** What does not fit together, in a few words. */
function misfit({ features, weights, means, deviations, projection }: BinaryFile): string | undefined {
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
