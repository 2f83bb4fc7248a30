import { basename, join } from "node:path";
import { GrowingFile, growTogether, makeFolder } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { sha256 } from "../../text/content-id.js";
import { type JsonRecord, readJsonArray, readJsonLines } from "../json-records.js";
import { JsonArrayFile, type Prepared } from "../prepare.js";
import { fail, objectAt, type RecordPlace } from "./file-lines.js";
import { type PaperProfile, profileOf } from "./profiles.js";
import { formOf, type PaperQuery, type QueryForm, queryForms } from "./queries.js";

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
  /** Records in the file, and those that the paper's rule leaves out. */
  readonly records: number;
  readonly left: number;
  /** Drawn, in file order. */
  readonly queries: readonly PaperQuery[];
}

export interface PaperData {
  readonly files: readonly ReadQueries[];
  readonly profiles: readonly PaperProfile[];
  /** Each question with each profile that it is asked for. */
  readonly pairs: readonly Pair[];
}

interface Pair {
  readonly query: PaperQuery;
  readonly profile: PaperProfile;
}

/**
 * Reads questions and profiles in the forms of the paper's data. A draw takes the questions with the least hashes, so that it depends on no
 * order and a longer one holds a shorter one. Throws UsageError naming file, record and what was expected.
 */
export async function readPaperData(settings: PaperDataSettings): Promise<PaperData> {
  const profiles = await readProfiles(settings.profiles);
  const files: ReadQueries[] = [];
  for (const file of settings.queries) files.push(await readQueries(file, settings));
  refuseRepeated(files);
  const pairs = files.flatMap(({ queries }) => queries.flatMap((query) => pairsOf(query, profiles)));
  return { files, profiles, pairs };
}

/** Writes per-user files, and `people.json` with what the data sets say by themselves (`lamp-eval rums eval --labels`). */
export function writePaperData(
  { files, profiles, pairs }: PaperData,
  { out, official }: { readonly out: string; readonly official: string },
): Prepared {
  const golds = pairs.flatMap(({ query: { id, gold }, profile }) =>
    gold === undefined ? [] : [{ id: idOf(id, profile), output: gold }],
  );
  const people = Object.fromEntries(
    files.flatMap(({ form, queries }) =>
      queries.flatMap(({ id, personal }) => (personal === undefined ? [] : [[id, { personal, dataset: form }]])),
    ),
  );
  makeFolder(out);
  growTogether((grown) => {
    const users = grown(new JsonArrayFile(join(out, "users.json")));
    for (const profile of profiles) {
      const ofProfile = pairs.filter((pair) => pair.profile === profile);
      if (ofProfile.length === 0) continue;
      const query = ofProfile.map(({ query: { id, text, gold } }) => ({
        id: idOf(id, profile),
        input: text,
        ...(gold === undefined ? {} : { gold }),
      }));
      users.add({ user_id: profile.id, profile: profile.items, query });
    }
    const labels = { task: official, golds };
    grown(new GrowingFile(join(out, "users_label.json"))).write(`${JSON.stringify(labels)}\n`);
    grown(new GrowingFile(join(out, "people.json"))).write(`${JSON.stringify(people, undefined, 1)}\n`);
  });
  return {
    task: official,
    from: files.map(({ file, form, records, left, queries }) => ({ file, form, records, left, taken: queries.length })),
    profiles: profiles.length,
    pairs: pairs.length,
  };
}

/** Fields of an outer object that may hold the records. */
const OUTER = queryForms.flatMap(({ within }) => within ?? []);

/** Question q asked for profile p: `rums eval` finds the labels of q. */
const idOf = (query: string, { id }: PaperProfile): string => `${query}@${id}`;

async function readProfiles(file: string): Promise<PaperProfile[]> {
  const profiles: PaperProfile[] = [];
  await eachRecord(file, [], (value, place) => void profiles.push(profileOf(value, place)));
  if (profiles.length === 0) throw new UsageError(`${file}: there is no profile in it`);
  const ids = new Set<string>();
  for (const [at, { id }] of profiles.entries()) {
    if (ids.has(id)) fail({ file, number: at + 1 }, `a second profile with the id ${id}`);
    ids.add(id);
  }
  return profiles;
}

async function readQueries(file: string, { limit }: PaperDataSettings): Promise<ReadQueries> {
  let form: QueryForm | undefined;
  let [records, left] = [0, 0];
  const drawn: { readonly query: PaperQuery; readonly draw: string; readonly at: number }[] = [];
  const least = (): void => {
    drawn.sort((a, b) => (a.draw < b.draw ? -1 : 1));
    drawn.length = Math.min(drawn.length, limit);
  };
  await eachRecord(file, OUTER, (value, place) => {
    const record = objectAt(value, place);
    form ??= formOf(record, place);
    records += 1;
    if (!form.fits(record)) fail(place, `not of the form of the records before it, ${form.shape}`);
    const query = form.read(record, place);
    if (query === undefined) {
      left += 1;
      return;
    }
    drawn.push({ query, draw: sha256(`${SEED} ${query.id}`), at: place.number });
    if (limit > 0 && drawn.length >= 2 * limit + 1000) least(); // memory holds what may be drawn
  });
  if (limit > 0) least();
  drawn.sort((a, b) => a.at - b.at);
  const queries = drawn.map(({ query }) => query);
  if (form === undefined || queries.length === 0) throw new UsageError(`${file}: there is no question in it`);
  return { file: basename(file), form: form.name, records, left, queries };
}

function refuseRepeated(files: readonly ReadQueries[]): void {
  const known = new Map<string, string>();
  for (const { file, queries } of files)
    for (const { id } of queries) {
      const other = known.get(id);
      if (other !== undefined) throw new UsageError(`${file}: question ${id} stands in ${other} already`);
      known.set(id, file);
    }
}

/** RUMS asks each question for five profiles. */
const PROFILES_A_QUESTION = 5;
const SEED = 0;

/** The profiles that a question is asked for: those with the least hashes. */
function pairsOf(query: PaperQuery, profiles: readonly PaperProfile[]): Pair[] {
  const drawn = profiles
    .map((profile) => ({ profile, draw: sha256(`${SEED} ${query.id} ${profile.id}`) }))
    .sort((a, b) => (a.draw < b.draw ? -1 : 1));
  return drawn.slice(0, PROFILES_A_QUESTION).map(({ profile }) => ({ query, profile }));
}

/** The records of a file: `.json` holds an array, or an object with one in its field; anything else is JSON Lines. */
async function eachRecord(
  file: string,
  fields: readonly string[],
  visit: (value: unknown, place: RecordPlace) => void,
): Promise<void> {
  const each = ({ value, number }: JsonRecord): void => visit(value, { file, number });
  if (file.endsWith(".json")) await readJsonArray(file, each, fields);
  else await readJsonLines(file, each);
}
