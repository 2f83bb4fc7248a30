import { fail, objectAt, type RecordPlace, textAt } from "./file-lines.js";

/** A question of the paper's data, before it is asked for anybody. */
export interface PaperQuery {
  /** Of its file: the file's own id, else its number. */
  readonly id: string;
  readonly text: string;
  /** The expected answer, where the data have one. */
  readonly gold?: string;
  /** Whether it gains from a profile, where its data set says so; absent: people must say. */
  readonly personal?: boolean;
}

export interface QueryForm {
  readonly name: string;
  /** What a record of it looks like, for messages. */
  readonly shape: string;
  /** Field of the outer object that holds the records; absent: JSON Lines, or one array. */
  readonly within?: string;
  /** Whether a record is of this form. */
  fits(record: Readonly<Record<string, unknown>>): boolean;
  /** Undefined for a record that the paper leaves out. Throws UsageError naming the place. */
  read(record: Readonly<Record<string, unknown>>, place: RecordPlace): PaperQuery | undefined;
}

/**
 * PersonaFeedback (Tao et al. 2025), `general|spedific/easy|medium|hard.jsonl`: a question, the reply that people chose and the one
 * that they did not. Made to gain from a profile; the chosen reply is one of many good ones, so no gold.
 */
const personaFeedback: QueryForm = {
  name: "PersonaFeedback",
  shape: '{"user_id": ..., "question": ..., "chosen": ..., "reject": ...}',
  fits: (record) => "question" in record && ("chosen" in record || "reject" in record),
  read: (record, place) => ({
    id: `pf-${stemOf(place.file)}-${place.number}`,
    text: textAt(record, "question", place),
    personal: true,
  }),
};

/**
 * FreebaseQA (Jiang et al. 2019), `FreebaseQA-train|dev|eval.json`: the question as it was asked, and the answer of its first parse.
 * Questions of knowledge: none gains from a profile.
 */
const freebaseQa: QueryForm = {
  name: "FreebaseQA",
  shape: '{"Questions": [{"Question-ID": ..., "RawQuestion": ..., "Parses": [{"Answers": [{"AnswersName": [...]}]}]}]}',
  within: "Questions",
  fits: (record) => "RawQuestion" in record && "Parses" in record,
  read: (record, place) => {
    const gold = answerOf(record, place);
    return {
      id: textAt(record, "Question-ID", place),
      text: textAt(record, "RawQuestion", place),
      ...(gold === undefined ? {} : { gold }),
      personal: false,
    };
  },
};

/**
 * WildChat (Zhao et al. 2024), one conversation a line: the first line of the user, of English conversations that nobody found toxic
 * (RUMS F.2). Whether it gains from a profile, people say.
 */
const wildChat: QueryForm = {
  name: "WildChat",
  shape:
    '{"conversation_hash": ..., "conversation": [{"role": "user", "content": ...}], "language": ..., "toxic": ...}',
  fits: (record) => Array.isArray(record.conversation),
  read: (record, place) => {
    if (record.language !== "English" || record.toxic === true) return undefined;
    const turns = (record.conversation as readonly unknown[]).map((turn) => objectAt(turn, place)); // `fits` looked at it
    const first = turns.find(({ role }) => role === "user");
    if (first === undefined || first.toxic === true || String(first.content ?? "").trim() === "") return undefined;
    const known = record.conversation_hash ?? record.conversation_id;
    return {
      id: typeof known === "string" ? known : `wc-${stemOf(place.file)}-${place.number}`,
      text: textAt(first, "content", place),
    };
  },
};

export const queryForms: readonly QueryForm[] = [personaFeedback, freebaseQa, wildChat];

/** The form of a record. Throws UsageError that names those there are. */
export function formOf(record: Readonly<Record<string, unknown>>, place: RecordPlace): QueryForm {
  const found = queryForms.find((form) => form.fits(record));
  if (found !== undefined) return found;
  const keys = Object.keys(record).slice(0, 6).join(", ");
  return fail(place, `no known form (its fields: ${keys}); known: ${queryForms.map(({ name }) => name).join(", ")}`);
}

/** `medium` of `data/general/medium.jsonl` is `general-medium`: the six files have three names. */
function stemOf(file: string): string {
  const parts = file.replace(/\.\w+$/, "").split(/[/\\]/);
  return parts
    .slice(-2)
    .filter((part) => part !== "" && !part.includes("."))
    .join("-");
}

function answerOf(record: Readonly<Record<string, unknown>>, place: RecordPlace): string | undefined {
  for (const parse of listIn(record, "Parses", place))
    for (const answer of listIn(parse, "Answers", place)) {
      const [name] = Array.isArray(answer.AnswersName) ? answer.AnswersName : [answer.AnswersName];
      if (typeof name === "string" && name.trim() !== "") return name.trim();
    }
  return undefined;
}

function listIn(record: Readonly<Record<string, unknown>>, field: string, place: RecordPlace) {
  const list = record[field];
  return Array.isArray(list)
    ? list.map((one: unknown) => objectAt(one, place))
    : fail(place, `${field}: expected a list`);
}
