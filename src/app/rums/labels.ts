import { resolve } from "node:path";
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

/**
 * Reads `{ "question id": { "personal": true, "items": ["event id"] } }`, or of a `.jsonl` what each person said by itself, a line a person
 * and question. Throws UsageError naming what is wrong.
 */
export function readLabels(path: string, cwd: string): HumanLabels {
  const text = textOf(path, cwd);
  if (path.endsWith(".jsonl")) return agreed(linesOf(text, path));
  return readJson(z.record(z.string(), label), text, `--labels ${path}`, EXPECTED);
}

/**
 * What was said of a question, which may be one asked for a profile: `q12@p3` is question q12 asked for profile p3, and an item that is no id
 * of an event is an attribute of that profile.
 */
export function labelOf(question: string, known: HumanLabels): HumanLabels[string] | undefined {
  const said = sayingOf(known, question);
  const [asked = "", profile] = question.split("@");
  const found = said ?? sayingOf(known, asked);
  if (found?.items === undefined || profile === undefined) return found;
  const items = found.items.map((item) =>
    item.startsWith(`${profile}-`) ? item : `${profile}-${attributeSlug(item)}`,
  );
  return { ...found, items };
}

const EXPECTED = 'expected { "question id": { "personal": true, "items": [...] } }, in a .jsonl one object a line';

/** Questions may be called as what every object has, `constructor`. */
const sayingOf = (known: HumanLabels, question: string): HumanLabels[string] | undefined =>
  Object.hasOwn(known, question) ? known[question] : undefined;

type Line = z.infer<typeof line>;

/**
 * The rules of RUMS F.5: a question counts where all agree that it gains (1 or 2) or that it does not (0), and is left out else; an item
 * counts that more than half of them chose (three of four). Who was asked for items alone agrees where an item is left.
 */
function agreed(lines: readonly Line[]): HumanLabels {
  const labels = [...groupBy(lines, ({ question }) => question)].flatMap(
    ([question, said]): [string, HumanLabels[string]][] => {
      const lists = said.flatMap(({ items }) => (items === undefined ? [] : [items]));
      const chosen = [...new Set(lists.flat())].filter(
        (item) => 2 * lists.filter((list) => list.includes(item)).length > lists.length,
      );
      const ratings = said.flatMap(({ rating }) => rating ?? []);
      const gains = new Set(ratings.map((rating) => rating > 0));
      if (gains.size > 1) return [];
      const personal = ratings.length > 0 ? gains.has(true) : chosen.length > 0;
      const dataset = said.find((one) => one.dataset !== undefined)?.dataset;
      const items = lists.length === 0 ? {} : { items: chosen };
      return [[question, { personal, ...items, ...(dataset === undefined ? {} : { dataset }) }]];
    },
  );
  return Object.fromEntries(labels);
}

function linesOf(text: string, path: string): Line[] {
  const seen = new Set<string>();
  return text.split("\n").flatMap((one, at) => {
    if (one.trim() === "") return [];
    const place = `--labels ${path}: line ${at + 1}`;
    const read = readJson(line, one, place, EXPECTED);
    const who = `${read.question} ${read.annotator}`;
    if (seen.has(who)) throw new UsageError(`${place}: annotator ${read.annotator} rates ${read.question} twice`);
    seen.add(who);
    return [read];
  });
}

function textOf(path: string, cwd: string): string {
  try {
    return withoutMark(readText(resolve(cwd, path)));
  } catch (error) {
    if (error instanceof UsageError && !(error instanceof FileError)) throw error;
    throw new UsageError(`--labels ${path}: ${fileTrouble(error)}`);
  }
}
