import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { FileError } from "../../disk/file-error.js";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { fileTrouble, withoutMark } from "../../text/file-trouble.js";
import { readJson } from "../../text/schema-issue.js";
import { attributeSlug } from "./forms.js";

const label = z.object({
  /** True where people find that the question gains from what is known of the user. */
  personal: z.boolean(),
  /** Events that a majority of them chose: ids, or attributes of profiles. */
  items: z.array(z.string()).optional(),
  /** The data set that the question comes from: `PersonaFeedback`, `FreebaseQA`, `WildChat`. */
  dataset: z.string().optional(),
});

/** Labels that people gave to questions, by question id. */
export type HumanLabels = Readonly<Record<string, z.infer<typeof label>>>;

const DEMO = fileURLToPath(new URL("../../../datasets/demo/profile-questions/people.json", import.meta.url));
const EXPECTED = 'expected { "question id": { "personal": true, "items": [...] } }';

/** Reads the labels in a file; without one those of the built-in data. Throws UsageError naming what is wrong. */
export function readLabels(file: string | undefined, cwd: string): HumanLabels {
  const flag = `--labels ${file}`;
  try {
    const text = withoutMark(readText(resolve(cwd, file ?? DEMO)));
    return readJson(z.record(z.string(), label), text, flag, EXPECTED);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(`${flag}: ${fileTrouble(error)}`);
  }
}

/**
 * Returns the label of a question. `q12@p3` is question q12 asked for profile p3; an item that is no id of an event is an
 * attribute of that profile.
 */
export function labelOf(question: string, known: HumanLabels): HumanLabels[string] | undefined {
  const [asked = "", profile] = question.split("@");
  const name = [question, asked].find((one) => Object.hasOwn(known, one));
  const found = name === undefined ? undefined : known[name];
  if (found?.items === undefined || profile === undefined) return found;
  const idOf = (item: string) => (item.startsWith(`${profile}-`) ? item : `${profile}-${attributeSlug(item)}`);
  return { ...found, items: found.items.map(idOf) };
}
