import { basename, join } from "node:path";
import { GrowingFile, growTogether, makeFolder } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { sha256 } from "../../text/content-id.js";
import { JsonArrayFile, type Prepared } from "../prepare.js";
import { Fields } from "../record.js";
import { readJsonArray, readJsonLines } from "../records.js";
import { formOf, type PaperProfile, type PaperQuery, profileOf, type QueryForm } from "./forms.js";
import type { HumanLabels } from "./labels.js";

interface PaperDataSettings {
  /** Files with questions, of any known form. */
  readonly queries: readonly string[];
  readonly profiles: string;
  /** Most questions drawn of each file; 0 = all. */
  readonly limit: number;
}

interface ReadQueries {
  readonly file: string;
  readonly form: string;
  /** Records in the file, and those that RUMS' rule leaves out. */
  readonly records: number;
  readonly excluded: number;
  /** Drawn, in file order. */
  readonly queries: readonly PaperQuery[];
}

export interface PaperData {
  readonly files: readonly ReadQueries[];
  readonly profiles: readonly PaperProfile[];
}

/**
 * Reads questions and profiles in the forms of the paper's data. A draw takes the questions with the least hashes, so that it depends on no
 * order and a larger draw holds every smaller one. Throws UsageError naming file, record and what was expected.
 */
export async function readPaperData(settings: PaperDataSettings): Promise<PaperData> {
  const profiles = await readProfiles(settings.profiles);
  const files: ReadQueries[] = [];
  const known = new Map<string, string>();
  for (const path of settings.queries) {
    const { file, queries, ...facts } = await readQueries(path, settings.limit);
    for (const { id } of queries) {
      if (known.has(id)) throw new UsageError(`${file}: question ${id} stands in ${known.get(id)} already`);
      known.set(id, file);
    }
    files.push({ file, queries, ...facts });
  }
  return { files, profiles };
}

/** The tags of a question: by them a judge chooses its criteria. */
const tagsOf = (label: HumanLabels[string] | undefined) =>
  label && { personal: label.personal ? "yes" : "no", dataset: label.dataset };

/** Writes per-user files, and `people.json` with what the data sets or people (`said`) say (`lamp-eval rums eval --labels`). */
export function writePaperData(
  { files, profiles }: PaperData,
  { out, official, said }: { readonly out: string; readonly official: string; readonly said: HumanLabels },
): Prepared {
  const pairs = files.flatMap(({ queries }) => queries.flatMap((query) => pairsOf(query, profiles)));
  const golds = pairs.flatMap(({ id, query: { gold } }) => (gold === undefined ? [] : [{ id, output: gold }]));
  const labels = new Map(
    files.flatMap(({ form, queries }) =>
      queries.flatMap(({ id, personal = said[id]?.personal }) =>
        personal === undefined ? [] : [[id, { ...said[id], personal, dataset: form }] as const],
      ),
    ),
  );
  makeFolder(out);
  growTogether((grown) => {
    const users = grown(new JsonArrayFile(join(out, "users.json")));
    for (const profile of profiles) {
      const query = pairs
        .filter((pair) => pair.profile === profile)
        .map(({ id, query }) => ({ id, input: query.text, gold: query.gold, tags: tagsOf(labels.get(query.id)) }));
      if (query.length > 0) users.add({ user_id: profile.id, profile: profile.items, query });
    }
    grown(new GrowingFile(join(out, "users_label.json"))).write(`${JSON.stringify({ task: official, golds })}\n`);
    const people = JSON.stringify(Object.fromEntries(labels), undefined, 1);
    grown(new GrowingFile(join(out, "people.json"))).write(`${people}\n`);
  });
  const from = files.map(({ queries, ...facts }) => ({ ...facts, taken: queries.length }));
  return { task: official, from, profiles: profiles.length, pairs: pairs.length };
}

async function readProfiles(file: string): Promise<PaperProfile[]> {
  const byId = new Map<string, PaperProfile>();
  await eachRecord(file, (value, where, number) => {
    const profile = profileOf(value, where, number);
    if (byId.has(profile.id)) throw new UsageError(`${where}: a second profile with the id ${profile.id}`);
    byId.set(profile.id, profile);
  });
  if (byId.size === 0) throw new UsageError(`${file}: there is no profile in it`);
  return [...byId.values()];
}

async function readQueries(file: string, limit: number): Promise<ReadQueries> {
  let form: QueryForm | undefined;
  let [records, excluded] = [0, 0];
  let drawn: { readonly query: PaperQuery; readonly draw: string; readonly number: number }[] = [];
  const least = () => drawn.sort((a, b) => (a.draw < b.draw ? -1 : 1)).slice(0, limit);
  await eachRecord(file, (value, where, number) => {
    const record = new Fields(value, where, "the question");
    form ??= formOf(record);
    records += 1;
    if (!form.fields.every((field) => field in record.values))
      record.refuse(`not of the form of the records before it, ${form.name}`);
    const query = form.read(record, `${stemOf(file)}-${number}`);
    if (query === undefined) excluded += 1;
    else drawn.push({ query, draw: sha256(`${SEED} ${query.id}`), number });
    if (limit > 0 && drawn.length >= 2 * limit + 1000) drawn = least(); // memory holds what may be drawn
  });
  if (limit > 0) drawn = least();
  const queries = drawn.sort((a, b) => a.number - b.number).map(({ query }) => query);
  if (form === undefined || queries.length === 0) throw new UsageError(`${file}: there is no question in it`);
  return { file: basename(file), form: form.name, records, excluded, queries };
}

/** `medium` of `data/general/medium.jsonl` is `general-medium`: the six files have three names. */
const stemOf = (file: string): string =>
  file
    .replace(/\.\w+$/, "")
    .split(/[/\\]/)
    .slice(-2)
    .filter((part) => part !== "" && !part.includes("."))
    .join("-");

/** RUMS asks each question for five profiles. */
const PROFILES_A_QUESTION = 5;
const SEED = 0;

/** The profiles that a question is asked for: those with the least hashes. `rums eval` finds the labels of q for question `q@p`. */
function pairsOf(query: PaperQuery, profiles: readonly PaperProfile[]) {
  return profiles
    .map((profile) => ({ profile, draw: sha256(`${SEED} ${query.id} ${profile.id}`) }))
    .sort((a, b) => (a.draw < b.draw ? -1 : 1))
    .slice(0, PROFILES_A_QUESTION)
    .map(({ profile }) => ({ id: `${query.id}@${profile.id}`, query, profile }));
}

/** The records of a file: `.json` holds an array, or FreebaseQA's object with one; anything else is JSON Lines. */
async function eachRecord(file: string, visit: (value: unknown, where: string, number: number) => void): Promise<void> {
  const each = ({ value, number }: { value: unknown; number: number }): void =>
    visit(value, `${file}: record ${number}`, number);
  if (file.endsWith(".json")) await readJsonArray(file, each, ["Questions"]);
  else await readJsonLines(file, each);
}
