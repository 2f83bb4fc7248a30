import { Fields, shown } from "../record.js";

export interface PaperProfile {
  readonly id: string;
  readonly items: readonly { readonly id: string; readonly attribute: string; readonly value: string }[];
}

type Pair = readonly [attribute: string, value: string];

const IDS = ["user_id", "id"];

/**
 * Reads a profile in one of three forms: attributes as fields (`{"Occupation": "Nurse", "Favorite foods": ["Dosa", "Chaat"]}`), in
 * sections (`{"Name": ..., "Demographics": {...}}`: PersonaFeedback's `all_personas.jsonl`), or lines (`["Occupation: Nurse"]`, as RUMS
 * prints them). The id is `user_id`, `id`, else the number in the file. Throws UsageError naming the place.
 */
export function profileOf(value: unknown, where: string, number: number): PaperProfile {
  const record = new Fields(Array.isArray(value) ? { lines: value } : value, where, "the profile");
  const name = IDS.map((id) => record.text(id)).find((id) => id !== undefined) ?? String(number);
  const own = Object.entries(record.values).filter(([field]) => !IDS.includes(field));
  const pairs = Array.isArray(value)
    ? record.list("lines").map((line) => pairOf(line, record))
    : own.flatMap(([field, one]) => pairsOf(field, one, record));
  if (pairs.length === 0) return record.refuse("a profile without an attribute");
  const taken = new Map<string, number>();
  const items = pairs.map(([attribute, text]) => {
    const slug = attributeSlug(attribute);
    const times = (taken.get(slug) ?? 0) + 1;
    taken.set(slug, times);
    return { id: `${name}-${slug}${times === 1 ? "" : `-${times}`}`, attribute, value: text };
  });
  return { id: name, items };
}

/** An attribute as ids of events hold it. */
export const attributeSlug = (attribute: string): string =>
  attribute
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");

function pairOf(line: unknown, record: Fields): Pair {
  const [, attribute, value] = (typeof line === "string" && /^([^:]+):(.*)$/s.exec(line)) || [];
  if (attribute === undefined || value === undefined)
    return record.refuse(`expected lines "attribute: value", found ${JSON.stringify(line)}`);
  return [attribute.trim(), value.trim()];
}

/** Sections are named before their attributes; empty values are left out. */
function pairsOf(attribute: string, value: unknown, record: Fields): Pair[] {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return [];
  if (typeof value !== "object") return [[attribute, String(value).trim()]];
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([field, one]) => pairsOf(`${attribute}: ${field}`, one, record));
  if (value.some((one) => typeof one === "object")) record.refuse(`${attribute}: a list of objects`);
  return [[attribute, value.join(", ")]];
}

/** A question of the paper's data, before it is asked for anybody. */
export interface PaperQuery {
  /** Of its file: the file's own id, else its number. */
  readonly id: string;
  readonly text: string;
  /** The expected answer, where the data have one. */
  readonly gold?: string;
  /** True where it gains from a profile, if its data set says so; absent: people must say. */
  readonly personal?: boolean;
}

export interface QueryForm {
  readonly name: string;
  /** Fields that tell a record of it from those of other forms. */
  readonly fields: readonly string[];
  /** Undefined for a record that the paper leaves out. `place`: the file and the number of the record. Throws UsageError. */
  read(record: Fields, place: string): PaperQuery | undefined;
}

/**
 * PersonaFeedback (Tao et al. 2025), general and specific questions, `easy|medium|hard.jsonl`: a question, the reply that people chose and the one
 * that they did not. Made to gain from a profile; the chosen reply is one of many good ones, so no gold.
 */
const personaFeedback: QueryForm = {
  name: "PersonaFeedback",
  fields: ["question", "chosen"],
  read: (record, place) => ({ id: `pf-${place}`, text: filled(record, "question"), personal: true }),
};

/**
 * FreebaseQA (Jiang et al. 2019), `FreebaseQA-train|dev|eval.json`: the question as it was asked, and the answer of its first parse.
 * Questions of knowledge: none gains from a profile.
 */
const freebaseQa: QueryForm = {
  name: "FreebaseQA",
  fields: ["RawQuestion", "Parses"],
  read: (record) => {
    const parses = record.list("Parses") as readonly { readonly Answers?: readonly { AnswersName?: unknown }[] }[];
    const names = parses.flatMap(({ Answers = [] }) => Answers.map(({ AnswersName }) => [AnswersName].flat()[0]));
    const gold = names.find((name): name is string => typeof name === "string" && name.trim() !== "")?.trim();
    const [id, text] = [filled(record, "Question-ID"), filled(record, "RawQuestion")];
    return { id, text, ...(gold === undefined ? {} : { gold }), personal: false };
  },
};

/**
 * WildChat (Zhao et al. 2024), one conversation a line: the first line of the user, of English conversations that nobody found toxic
 * (RUMS F.2). Whether it gains from a profile, people say.
 */
const wildChat: QueryForm = {
  name: "WildChat",
  fields: ["conversation"],
  read: (record, place) => {
    const { language, toxic, conversation_hash: hash } = record.values;
    const turns = record.list("conversation") as readonly Readonly<Record<string, unknown>>[];
    const first = turns.find(({ role }) => role === "user");
    const text = String(first?.content ?? "").trim();
    if (language !== "English" || toxic === true || first?.toxic === true || text === "") return undefined;
    return { id: typeof hash === "string" ? hash : `wc-${place}`, text };
  },
};

const queryForms: readonly QueryForm[] = [personaFeedback, freebaseQa, wildChat];

/** Returns the form of a record. Throws UsageError that names those there are. */
export function formOf(record: Fields): QueryForm {
  const keys = Object.keys(record.values);
  const known = queryForms.map(({ name }) => name).join(", ");
  return (
    queryForms.find(({ fields }) => fields.every((field) => keys.includes(field))) ??
    record.refuse(`no known form (its fields: ${keys.slice(0, 6).join(", ")}); known: ${known}`)
  );
}

/** The text of a field, without blanks around it. */
function filled(record: Fields, name: string): string {
  const text = record.text(name)?.trim() ?? "";
  return text === "" ? record.refuse(`field "${name}" is ${shown(record.values[name])}; expected a text`) : text;
}
