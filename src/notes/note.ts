import * as z from "zod";

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const object = <T extends z.ZodRawShape>(shape: T) => z.object(shape).readonly();
const list = <T extends z.ZodType>(of: T) => z.array(of).readonly();
const text = z.string();
const number = z.number();
const texts = list(text);
const numbers = z.record(text, number).readonly();
const json = z.custom<Json>((value) => value !== undefined);

const agentCall = object({
  tool: text,
  input: json,
  /** The text that the model got. */
  observation: text,
  /** `repeated`: the tool was not run again, the model got the earlier result. */
  outcome: z.enum(["ok", "failed", "unknown", "repeated"]),
});

/** One reply of the model and what came of it. */
const agentStep = object({
  /** The reply without reasoning blocks. */
  text,
  calls: list(agentCall),
  /** Feedback to the model on a reply that could not be used. */
  feedback: text.nullable(),
  /** True when the reply ran into the token limit. */
  cut: z.boolean(),
});

const agentRun = {
  /** Empty when the model gave none. */
  answer: text,
  protocol: text,
  steps: list(agentStep),
  /** Calls of known tools by name, repeated and failed ones included. */
  toolCounts: numbers,
  /** Replies that ran into the token limit. */
  truncatedReplies: number,
  parseErrors: number,
  /** The way an answer was forced in a run that did not end by itself. */
  forced: z.enum(["no", "generate"]),
};

const graphItem = object({
  owner: text,
  id: text,
  similarity: number,
  text,
  label: text.exactOptional(),
  concepts: texts,
});

/** The data of each kind of note. Ids are those of history events. */
const forms = {
  /** The whole run of an agent on one question. */
  agent: object({
    ...agentRun,
    phase: text,
    /** Names the run where a question has several, e.g. the id of a simulated event. */
    label: text.exactOptional(),
    system: text,
    question: text,
    /** Names of the tools that it could call. */
    tools: texts,
  }),
  /** The summaries of a memory bank; `events` are ids. */
  bank: object({
    buckets: list(object({ name: text, events: texts, summary: text, preferences: text })),
    history: text,
    profile: text,
  }),
  /** A note of a plug-in, under a name of its own. */
  custom: object({ name: text, data: json }),
  /** Answered questions of other users that were shown in the prompt. */
  demos: list(object({ owner: text, id: text })),
  /** The fact that an assistant read in a user's line, or none; whether it was new; the number of facts held now. */
  fact: object({ said: text, fact: text.nullable(), isNew: z.boolean(), known: number }),
  /** The facts that entered the prompt of an assistant, best first, and how many it held; `search` is `exact` or `inverted lists`. */
  facts: object({ recalled: texts, known: number, search: text }),
  /** The part of the concept graph that entered a prompt. */
  graph: object({
    own: list(graphItem),
    global: list(graphItem),
    preferences: list(object({ label: text, share: number })),
    concepts: texts,
    communities: list(object({ id: number, report: text, overlap: number, concepts: texts })),
  }),
  /** The whole concept graph in numbers; `communities` are those of two concepts or more. */
  "graph-size": object({
    interactions: number,
    concepts: number,
    categories: number,
    edges: object({ interactionConcept: number, interactionCategory: number, conceptConcept: number }),
    communities: number,
    largest: list(object({ id: number, report: text, samples: list(object({ id: text, text })) })),
  }),
  /** Name of the file that the predictions came from. */
  imported: text,
  /** Recalled memories: for a tool call, its query and event ids; for a prompt, event ids or `summary of BUCKET`. */
  memory: z.union([object({ query: text, events: texts }), texts]),
  /** One version of a user's persona, and the feedback that led to it. */
  persona: object({
    /** 0 is the persona before alignment. */
    version: number,
    /** `initial`, `updated`, `kept`. */
    outcome: text,
    /** Feedback on one simulated event each. */
    gradients: list(object({ event: text, text })),
    persona: text,
  }),
  /** The reasons for refused rewrites of a persona, in order. */
  "persona-refused": texts,
  /** A question about a user's preferences, the ids of the history events that it was answered from, and the answer. */
  preference: object({ query: text, events: texts, answer: text }),
  /** The profile of a user's preferences, and the daily summaries that it was made of. */
  profile: object({ days: list(object({ name: text, events: texts, summary: text })), profile: text }),
  /** The message to a program of the user's, and its output. */
  program: object({ sent: json, output: text }),
  /** One call that answers a question without tools. */
  reasoning: object({ phase: text, system: text, question: text, reply: text, answer: text }),
  /** Ids of the history events that entered the prompt, best first. */
  retrieved: texts,
  /** A search outside that gave nothing, and why. */
  "search-failed": object({ query: text, reason: text }),
  /** A selector's choice for a question, best first, or its reason to choose nothing. */
  selection: object({
    selector: text,
    /** The search query. */
    query: text,
    chosen: list(object({ event: text, reason: text, score: number.exactOptional() })),
    abstained: text.exactOptional(),
  }),
  /** A history event asked as if it were new. */
  simulation: object({
    event: text,
    /** Version of the persona. */
    persona: number,
    question: text,
    expected: text,
    /** `null` where the call failed. */
    response: text.nullable(),
    /** Number of events in the agent's memory. */
    visible: number,
  }),
  /** The summary of a user's history. */
  summary: text,
  /** Reductions of an answer's entropy by history events in the prompt, in nats. */
  utilities: object({
    /** The way entropies were measured: `label`, `token`, `sample`. */
    entropy: text,
    /** Entropy without anything of the history; `null` where it could not be measured. */
    plain: number.nullable(),
    /** Probability outside the returned tokens, for the prompt of `plain`. */
    rest: number,
    threshold: number,
    /** Event ids, the best match first. */
    candidates: texts,
    /** Subsets in the order in which they were scored. */
    scored: list(object({ events: texts, utility: number })),
    /** Largest utility; `null` where none could be measured. */
    best: number.nullable(),
  }),
};

/** The data of each kind of note. */
export type NoteForms = { readonly [K in keyof typeof forms]: z.infer<(typeof forms)[K]> };
type NoteKind = keyof NoteForms;
export type AgentCall = z.infer<typeof agentCall>;
export type AgentStep = z.infer<typeof agentStep>;
export type AgentRun = { readonly [K in keyof typeof agentRun]: z.infer<(typeof agentRun)[K]> };
export type NotedItem = z.infer<typeof graphItem>;
export type ContextNote = NoteForms["graph"];
export type GraphNote = NoteForms["graph-size"];
export type PersonaVersion = NoteForms["persona"];
export type UtilitiesNote = NoteForms["utilities"];

/**
 * One step of a trajectory, noted by a method, a tool or an import. `traces.jsonl` holds it as it is here, and
 * `readNote` reads it back.
 */
export type Note = { [K in NoteKind]: { readonly kind: K; readonly data: NoteForms[K] } }[NoteKind];

/** A note as a trace file holds it: its form is known only once `readNote` has looked at it. */
export interface StoredNote {
  readonly kind: string;
  readonly data: Json;
}

/**
 * A note as its kind has it. One of an unknown kind, or whose data are of another form than its kind's, is a `custom` one of that
 * name: nothing is lost.
 */
export function readNote({ kind, data }: StoredNote): Note {
  const known = isKind(kind) ? readData(kind, data) : undefined;
  return known === undefined ? { kind: "custom", data: { name: kind, data } } : ({ kind, data: known } as Note); // readData(kind) gives that kind's data
}

/** The data of all notes of one kind, in order; those of another form are left out. */
export function notesOf<K extends NoteKind>(notes: readonly StoredNote[], kind: K): NoteForms[K][] {
  return notes.flatMap((note) => {
    const data = note.kind === kind ? readData(kind, note.data) : undefined;
    return data === undefined ? [] : [data];
  });
}

const isKind = (kind: string): kind is NoteKind => Object.hasOwn(forms, kind);

const readData = <K extends NoteKind>(kind: K, data: Json): NoteForms[K] | undefined =>
  forms[kind].safeParse(data).data as NoteForms[K] | undefined; // the form of this kind has read it
