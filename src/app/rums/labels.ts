import { resolve } from "node:path";
import { z } from "zod";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";

const schema = z.record(
  z.string(),
  z.object({
    /** Whether people find that the question gains from what is known of the user. */
    personal: z.boolean(),
    /** Ids of the events that a majority of them chose. */
    items: z.array(z.string()).optional(),
  }),
);

/** What people said of questions, by question id. */
export type HumanLabels = z.infer<typeof schema>;

/** Reads `{ "question id": { "personal": true, "items": ["event id"] } }`. Throws UsageError naming what is wrong. */
export function readLabels(path: string, cwd: string): HumanLabels {
  let value: unknown;
  try {
    value = JSON.parse(readText(resolve(cwd, path)));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "not JSON" : ((error as NodeJS.ErrnoException).code ?? error);
    throw new UsageError(`--labels ${path}: ${reason}`);
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw new UsageError(`--labels ${path}: ${issue?.path.join(".")}: ${issue?.message}`);
}
