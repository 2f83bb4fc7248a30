import * as z from "zod";
import { UsageError } from "../../errors.js";
import { sha256 } from "../../text/content-id.js";
import { readJson } from "../../text/schema-issue.js";
import { baseFeatureNames, productNames } from "./features.js";

const numbers = z.array(z.number());
/** The fields of both trained classifiers. */
const modelSchema = {
  /** Principal components of the element-wise products of query and event vectors; in rums-multi of question vectors. */
  projection: z.object({ mean: numbers.readonly(), components: z.array(numbers.readonly()).readonly() }),
  /** Means of the training cases, used to standardize features. */
  means: numbers,
  deviations: z.array(z.number().positive()),
  /** Least share at which an event, or an attribute, is chosen. */
  cutoff: z.number(),
};
const trained = { task: z.string(), embedder: z.string(), f1: z.number() };

const binarySchema = z.object({
  kind: z.literal("rums-binary"),
  /** Feature names in the order of the weights: `baseFeatureNames`, then a score for each component. */
  features: z.array(z.string()),
  /** The frequency of each label in the histories of the training users. */
  priors: z.record(z.string(), z.number()),
  ...modelSchema,
  bias: z.number(),
  weights: numbers,
  /** `users`: hashes of their ids: a run over one of them is refused. */
  trainedOn: z.object({ ...trained, pairs: z.number(), chosen: z.number(), users: z.array(z.string()) }),
});

/** A trained classifier of pairs of question and event, as its file holds it. */
export type BinaryFile = z.infer<typeof binarySchema>;

const multiSchema = z.object({
  kind: z.literal("rums-multi"),
  /** The attributes of all users' events, in the order of the models. */
  attributes: z.array(z.string()),
  ...modelSchema,
  models: z.array(z.object({ bias: z.number(), weights: numbers })),
  /** `questions`: hashes of them: a run over one of them is refused. */
  trainedOn: z.object({ ...trained, questions: z.array(z.string()) }),
});

/** A trained classifier of questions by attributes. */
export type MultiFile = z.infer<typeof multiSchema>;

/** Returns the hash by which a file knows a user. */
export const userHash = (id: string): string => sha256(`rums-binary user ${id}`).slice(0, 16);

/** Returns the hash by which a file knows a question. */
export const questionHash = (text: string): string => sha256(`rums-multi question ${text}`).slice(0, 16);

/** Throws UsageError naming the file and the first field that is wrong. */
export function readMulti(text: string, name: string): MultiFile {
  const prefix = `${name}: not a file of lamp-eval rums train --multi`;
  const file = readJson(multiSchema, text, prefix);
  if (file.models.length === file.attributes.length) return file;
  throw new UsageError(`${prefix}: models: not one for each attribute`);
}

/** Throws UsageError naming the file and the first field that is wrong. */
export function readBinary(text: string, name: string): BinaryFile {
  const prefix = `${name}: not a file of lamp-eval rums train`;
  const file = readJson(binarySchema, text, prefix);
  const { mean, components } = file.projection;
  const names = [...baseFeatureNames, ...productNames(components.length)];
  const refuse = (what: string): never => {
    throw new UsageError(`${prefix}: ${what}`);
  };
  if (file.features.join() !== names.join()) return refuse(`features: expected ${names.join(", ")}`);
  if ([file.weights, file.means, file.deviations].some((list) => list.length !== names.length))
    return refuse("weights: not one for each feature");
  return components.some((component) => component.length !== mean.length)
    ? refuse("projection: components of another length than their mean")
    : file;
}
