import { z } from "zod";
import { UsageError } from "../../errors.js";
import { sha256 } from "../../text/content-id.js";
import { placedIssue } from "../../text/schema-issue.js";

/** What the small classifier knows of an event, in the order of its weights. */
export const featureNames = ["cosine", "bm25", "recency", "length", "label-share", "same-words"] as const;

const schema = z.object({
  kind: z.literal("rums-logreg"),
  version: z.literal(1),
  features: z.array(z.enum(featureNames)),
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
  if (read.success && read.data.weights.length === read.data.features.length) return read.data;
  const what = read.success ? "weights: not one for each feature" : placedIssue(read.error);
  throw new UsageError(`${name}: not a file of lamp-eval rums train: ${what}`);
}

// --- internal ---

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${name}: not JSON`);
    throw error;
  }
}
