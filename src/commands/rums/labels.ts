import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { attributeSlug } from "../../data/profile-questions/profiles.js";
import { FileError } from "../../disk/file-error.js";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { groupBy } from "../../results/grouped.js";
import { fileTrouble, withoutMark } from "../../text/file-trouble.js";
import { readJson } from "../../text/schema-issue.js";

const label = z.object({
  /** Whether people find that the question gains from what is known of the user. */
  personal: z.boolean(),
  /** Events that a majority of them chose: ids, or attributes of profiles. */
  items: z.array(z.string()).optional(),
  /** The data set that the question comes from: `PersonaFeedback`, `FreebaseQA`, `WildChat`. */
  dataset: z.string().optional(),
});

const line = z.object({
  question: z.string(),
  annotator: z.union([z.string(), z.number()]),
  /** RUMS, Prompt 8: 0 no, 1 might help, 2 helps. */
  rating: z.number().int().min(0).max(2).optional(),
  /** RUMS, Prompt 9: all that would help. */
  items: z.array(z.string()).optional(),
  dataset: z.string().optional(),
});

/** What people said of questions, by question id. */
export type HumanLabels = Readonly<Record<string, z.infer<typeof label>>>;

const DEMO_LABELS = fileURLToPath(new URL("../../../datasets/demo/profile-questions/people.json", import.meta.url));
const EXPECTED = 'expected { "question id": { "personal": true, "items": [...] } }, in a .jsonl one object a line';

/**
 * Reads `{ "question id": { "personal": true, "items": ["event id"] } }`, or of a `.jsonl` what each person said by itself, a line a person
 * and question; without a file the labels of the built-in data. Throws UsageError naming what is wrong.
 */
export function readLabels(file: string | undefined, cwd: string): HumanLabels {
  const flag = `--labels ${file}`;
  let text: string;
  try {
    text = withoutMark(readText(resolve(cwd, file ?? DEMO_LABELS)));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new UsageError(`${flag}: ${fileTrouble(error)}`);
  }
  if (file?.endsWith(".jsonl") !== true) return readJson(z.record(z.string(), label), text, flag, EXPECTED);
  const seen = new Set<string>();
  const lines = text.split("\n").flatMap((one, at) => {
    if (one.trim() === "") return [];
    const place = `${flag}: line ${at + 1}`;
    const read = readJson(line, one, place, EXPECTED);
    const who = `${read.question} ${read.annotator}`;
    if (seen.has(who)) throw new UsageError(`${place}: annotator ${read.annotator} rates ${read.question} twice`);
    seen.add(who);
    return [read];
  });
  return agreed(lines);
}

/**
 * The rules of RUMS F.5: a question counts where all agree that it gains (1 or 2) or that it does not (0), and is left out else; an item
 * counts that more than half of them chose (three of four). Who was asked for items alone agrees where an item is left.
 */
function agreed(lines: readonly z.infer<typeof line>[]): HumanLabels {
  const labels = [...groupBy(lines, ({ question }) => question)].flatMap(([question, said]) => {
    const lists = said.flatMap(({ items }) => (items === undefined ? [] : [items]));
    const chosen = [...new Set(lists.flat())].filter(
      (item) => 2 * lists.filter((list) => list.includes(item)).length > lists.length,
    );
    const gains = new Set(said.flatMap(({ rating }) => (rating === undefined ? [] : [rating > 0])));
    if (gains.size > 1) return [];
    const personal = gains.size > 0 ? gains.has(true) : chosen.length > 0;
    const dataset = said.find((one) => one.dataset !== undefined)?.dataset;
    const items = lists.length === 0 ? {} : { items: chosen };
    return [[question, { personal, ...items, ...(dataset === undefined ? {} : { dataset }) }] as const];
  });
  return Object.fromEntries(labels);
}

/**
 * Returns what was said of a question, which may be one asked for a profile: `q12@p3` is question q12 asked for profile p3, and an item
 * that is no id of an event is an attribute of that profile.
 */
export function labelOf(question: string, known: HumanLabels): HumanLabels[string] | undefined {
  const [asked = "", profile] = question.split("@");
  const name = [question, asked].find((one) => Object.hasOwn(known, one)); // questions may be called as what every object has
  const found = name === undefined ? undefined : known[name];
  if (found?.items === undefined || profile === undefined) return found;
  const idOf = (item: string) => (item.startsWith(`${profile}-`) ? item : `${profile}-${attributeSlug(item)}`);
  return { ...found, items: found.items.map(idOf) };
}
