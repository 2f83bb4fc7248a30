import * as z from "zod";
import type { Json } from "../json.js";
import type { Note, NoteForms, NoteKind, StoredNote } from "./note.js";

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

const texts = z.array(z.string());
const numbers = z.record(z.string(), z.number());
const json = z.custom<Json>((value) => value !== undefined);

const step = z.object({
  text: z.string(),
  calls: z.array(
    z.object({
      tool: z.string(),
      input: json,
      observation: z.string(),
      outcome: z.enum(["ok", "failed", "unknown", "repeated"]),
    }),
  ),
  feedback: z.string().nullable(),
  cut: z.boolean(),
});

const item = z.object({
  owner: z.string(),
  id: z.string(),
  similarity: z.number(),
  text: z.string(),
  label: z.string().exactOptional(),
  concepts: texts,
});

const readers: { readonly [K in NoteKind]: z.ZodType<NoteForms[K]> } = {
  agent: z.object({
    phase: z.string(),
    label: z.string().exactOptional(),
    system: z.string(),
    question: z.string(),
    tools: texts,
    answer: z.string(),
    protocol: z.string(),
    steps: z.array(step),
    toolCounts: numbers,
    truncatedReplies: z.number(),
    parseErrors: z.number(),
    forced: z.enum(["no", "generate", "force"]),
  }),
  bank: z.object({
    buckets: z.array(z.object({ name: z.string(), events: texts, summary: z.string(), preferences: z.string() })),
    history: z.string(),
    profile: z.string(),
  }),
  custom: z.object({ name: z.string(), data: json }),
  demos: z.array(z.object({ owner: z.string(), id: z.string() })),
  fact: z.object({ said: z.string(), fact: z.string().nullable(), isNew: z.boolean(), known: z.number() }),
  facts: z.object({ recalled: texts, known: z.number(), search: z.string() }),
  graph: z.object({
    own: z.array(item),
    global: z.array(item),
    preferences: z.array(z.object({ label: z.string(), share: z.number() })),
    concepts: texts,
    communities: z.array(z.object({ id: z.number(), report: z.string(), overlap: z.number(), concepts: texts })),
  }),
  "graph-size": z.object({
    interactions: z.number(),
    concepts: z.number(),
    categories: z.number(),
    edges: z.object({ interactionConcept: z.number(), interactionCategory: z.number(), conceptConcept: z.number() }),
    communities: z.number(),
    largest: z.array(
      z.object({
        id: z.number(),
        report: z.string(),
        samples: z.array(z.object({ id: z.string(), text: z.string() })),
      }),
    ),
  }),
  imported: z.string(),
  memory: z.union([z.object({ query: z.string(), events: texts }), texts]),
  persona: z.object({
    version: z.number(),
    outcome: z.string(),
    gradients: z.array(z.object({ event: z.string(), text: z.string() })),
    persona: z.string(),
  }),
  "persona-refused": texts,
  preference: z.object({ query: z.string(), events: texts, answer: z.string() }),
  profile: z.object({
    days: z.array(z.object({ name: z.string(), events: texts, summary: z.string() })),
    profile: z.string(),
  }),
  program: z.object({ sent: json, output: z.string() }),
  reasoning: z.object({
    phase: z.string(),
    system: z.string(),
    question: z.string(),
    reply: z.string(),
    answer: z.string(),
  }),
  retrieved: texts,
  "search-failed": z.object({ query: z.string(), reason: z.string() }),
  selection: z.object({
    selector: z.string(),
    query: z.string(),
    chosen: z.array(z.object({ event: z.string(), reason: z.string(), score: z.number().exactOptional() })),
    abstained: z.string().exactOptional(),
  }),
  simulation: z.object({
    event: z.string(),
    persona: z.number(),
    question: z.string(),
    expected: z.string(),
    response: z.string().nullable(),
    visible: z.number(),
  }),
  summary: z.string(),
  utilities: z.object({
    entropy: z.string(),
    plain: z.number().nullable(),
    rest: z.number(),
    threshold: z.number(),
    candidates: texts,
    scored: z.array(z.object({ events: texts, utility: z.number() })),
    best: z.number().nullable(),
  }),
  validation: z.object({ persona: z.number(), scores: numbers }),
};

const isKind = (kind: string): kind is NoteKind => Object.hasOwn(readers, kind);

function readData<K extends NoteKind>(kind: K, data: Json): NoteForms[K] | undefined {
  const reader: z.ZodType<NoteForms[K]> = readers[kind];
  return reader.safeParse(data).data;
}
