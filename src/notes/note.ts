import type { Json } from "../json.js";

/** What each kind of note tells. */
export interface NoteForms {
  readonly agent: AgentNote;
  readonly bank: BankNote;
  /** Of a thing from outside, under a name of its own. */
  readonly custom: { readonly name: string; readonly data: Json };
  /** Answered questions of other users that were shown in the prompt. */
  readonly demos: readonly { readonly owner: string; readonly id: string }[];
  /** The facts that entered the prompt of an assistant, best first, and how many it held. */
  readonly facts: FactsNote;
  /** What an assistant made of a user's line: the fact, or none, whether it was new, and how many it holds now. */
  readonly fact: FactNote;
  readonly graph: ContextNote;
  readonly "graph-size": GraphNote;
  /** Name of the file that the predictions came from. */
  readonly imported: string;
  readonly memory: MemoryNote;
  readonly persona: PersonaVersion;
  /** Why each rewrite of a persona was refused, in order. */
  readonly "persona-refused": readonly string[];
  readonly preference: PreferenceNote;
  readonly profile: ProfileNote;
  /** What a program of the user's was sent, and what it answered. */
  readonly program: { readonly sent: Json; readonly output: string };
  readonly reasoning: ReasoningNote;
  /** Ids of the past events that entered the prompt, best first. */
  readonly retrieved: readonly string[];
  readonly "search-failed": FailedSearch;
  readonly selection: SelectionNote;
  readonly simulation: SimulationNote;
  /** The summary of a user's past. */
  readonly summary: string;
  readonly utilities: UtilitiesNote;
  readonly validation: ValidationNote;
}

export type NoteKind = keyof NoteForms;

/**
 * One step of a trajectory, told by whoever takes it: a method, a tool, an import. `traces.jsonl` holds it as it is here, and
 * `readNote` reads it back.
 */
export type Note = { [K in NoteKind]: { readonly kind: K; readonly data: NoteForms[K] } }[NoteKind];

/** A note as a trace file holds it: its form is known only once `readNote` has looked at it. */
export interface StoredNote {
  readonly kind: string;
  readonly data: Json;
}

/** The whole run of an agent on one question. */
type AgentNote = AgentRun & {
  readonly phase: string;
  /** Names the run where a question has several, e.g. the id of a simulated event. */
  readonly label?: string;
  readonly system: string;
  readonly question: string;
  /** Names of the tools that it could call. */
  readonly tools: readonly string[];
};

export type AgentRun = {
  /** Empty when the model gave none. */
  readonly answer: string;
  readonly protocol: string;
  readonly steps: readonly AgentStep[];
  /** Calls of known tools by name, repeated and failed ones included. */
  readonly toolCounts: Readonly<Record<string, number>>;
  /** Replies that ran into the token limit. */
  readonly truncatedReplies: number;
  readonly parseErrors: number;
  /** How an answer was forced out of a run that did not end by itself. */
  readonly forced: "no" | "generate" | "force";
};

/** One reply of the model and what came of it. */
export type AgentStep = {
  /** The reply without reasoning blocks. */
  readonly text: string;
  readonly calls: readonly AgentCall[];
  /** What the model was told when its reply could not be used. */
  readonly feedback: string | null;
  /** True when the reply ran into the token limit. */
  readonly cut: boolean;
};

export type AgentCall = {
  readonly tool: string;
  readonly input: Json;
  /** What the model was shown. */
  readonly observation: string;
  /** `repeated`: the tool was not run again, the model got the earlier result. */
  readonly outcome: "ok" | "failed" | "unknown" | "repeated";
};

/** One call that answers a question without tools. */
type ReasoningNote = {
  readonly phase: string;
  readonly system: string;
  readonly question: string;
  readonly reply: string;
  readonly answer: string;
};

/** The summaries of a memory bank. */
type BankNote = {
  readonly buckets: readonly {
    readonly name: string;
    /** Event ids. */
    readonly events: readonly string[];
    readonly summary: string;
    readonly preferences: string;
  }[];
  readonly history: string;
  readonly profile: string;
};

type FactNote = {
  readonly said: string;
  readonly fact: string | null;
  readonly isNew: boolean;
  readonly known: number;
};

type FactsNote = {
  readonly recalled: readonly string[];
  readonly known: number;
  /** `exact`, or `inverted lists`. */
  readonly search: string;
};

/** A question about a user's preferences, the ids of the past events that it was answered from, and the answer. */
export type PreferenceNote = {
  readonly query: string;
  readonly events: readonly string[];
  readonly answer: string;
};

/** The profile of a user's preferences, and the daily summaries that it was made of. */
type ProfileNote = {
  readonly days: readonly { readonly name: string; readonly events: readonly string[]; readonly summary: string }[];
  readonly profile: string;
};

/** What memory gave: to a tool call, event ids for its query; to a prompt, event ids or `summary of BUCKET`. */
export type MemoryNote = { readonly query: string; readonly events: readonly string[] } | readonly string[];

/** A search outside that gave nothing, and why. */
export type FailedSearch = { readonly query: string; readonly reason: string };

/** One version of a user's persona, and the feedback that led to it. */
export type PersonaVersion = {
  /** 0 is the persona before alignment. */
  readonly version: number;
  /** `initial`, `updated`, `kept`, `reverted`. */
  readonly outcome: string;
  /** Feedback on one simulated event each. */
  readonly gradients: readonly { readonly event: string; readonly text: string }[];
  readonly persona: string;
};

/** What a selector chose for a question, best first, or why it chose nothing. */
type SelectionNote = {
  readonly selector: string;
  /** What was looked for. */
  readonly query: string;
  readonly chosen: readonly { readonly event: string; readonly reason: string; readonly score?: number }[];
  readonly abstained?: string;
};

/** What showing past events would do to the entropy of an answer, in nats. */
export type UtilitiesNote = {
  /** How entropies were measured: `label`, `token`, `sample`. */
  readonly entropy: string;
  /** Entropy without anything of the past; `null` where it could not be measured. */
  readonly plain: number | null;
  /** Share of probability that the model did not tell, of the same. */
  readonly rest: number;
  readonly threshold: number;
  /** Event ids, the best match first. */
  readonly candidates: readonly string[];
  /** Subsets in the order in which they were scored. */
  readonly scored: readonly { readonly events: readonly string[]; readonly utility: number }[];
  /** Largest utility; `null` where none could be measured. */
  readonly best: number | null;
};

/** A past event asked as if it were new. */
type SimulationNote = {
  readonly event: string;
  /** Version of the persona. */
  readonly persona: number;
  readonly question: string;
  readonly expected: string;
  /** `null` where the call failed. */
  readonly response: string | null;
  /** How many events the agent's memory held. */
  readonly visible: number;
};

/** How well a persona does on the held-out events. */
type ValidationNote = {
  /** Version of the persona. */
  readonly persona: number;
  /** Agreement by event id, 0 to 1; an event whose calls failed is missing. */
  readonly scores: Readonly<Record<string, number>>;
};

/** The part of the concept graph that entered a prompt. */
export type ContextNote = {
  readonly own: readonly NotedItem[];
  readonly global: readonly NotedItem[];
  readonly preferences: readonly { readonly label: string; readonly share: number }[];
  readonly concepts: readonly string[];
  readonly communities: readonly {
    readonly id: number;
    readonly report: string;
    readonly overlap: number;
    readonly concepts: readonly string[];
  }[];
};

export type NotedItem = {
  readonly owner: string;
  readonly id: string;
  readonly similarity: number;
  readonly text: string;
  readonly label?: string;
  readonly concepts: readonly string[];
};

/** The whole concept graph in numbers. */
export type GraphNote = {
  readonly interactions: number;
  readonly concepts: number;
  readonly categories: number;
  readonly edges: {
    readonly interactionConcept: number;
    readonly interactionCategory: number;
    readonly conceptConcept: number;
  };
  /** With two concepts or more. */
  readonly communities: number;
  readonly largest: readonly {
    readonly id: number;
    readonly report: string;
    readonly samples: readonly { readonly id: string; readonly text: string }[];
  }[];
};

/** Whoever takes notes down: a method's kit, a tool's use. */
interface Notebook {
  note(note: Note): void;
}

/** What a memory gave for a query, or for the question itself. Like each of these, the one writer of its kind. */
export const noteMemory = (to: Notebook, data: MemoryNote): void => to.note({ kind: "memory", data });

/** What was asked about the user's preferences, and answered. */
export const notePreference = (to: Notebook, data: PreferenceNote): void => to.note({ kind: "preference", data });

/** The part of a graph that entered a prompt. */
export const noteGraph = (to: Notebook, data: ContextNote): void => to.note({ kind: "graph", data });

/** A whole graph in numbers. */
export const noteGraphSize = (to: Notebook, data: GraphNote): void => to.note({ kind: "graph-size", data });
