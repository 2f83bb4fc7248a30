import { seeded } from "../../src/random/seeded.js";
import type {
  Capabilities,
  Embedder,
  Event,
  Kit,
  Note,
  OthersPool,
  Phase,
  PoolEvent,
  TaskBrief,
  Tool,
} from "../../src/types/index.js";
import { type LoggedCall, type Script, scriptedModel, textOf } from "./scripted-model.js";

export interface FakeKitSettings {
  readonly task: TaskBrief;
  readonly script: Script;
  readonly user?: string;
  readonly seed?: number;
  readonly embedder?: Embedder;
  readonly tools?: readonly Tool[];
  /** Texts of files that options name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly capabilities?: Partial<Capabilities>;
  /** Labelled events of other users; `date` narrows the pool to events up to it, as the engine's pool does. */
  readonly others?: readonly { readonly owner: string; readonly event: Event }[];
}

export interface FakeKit {
  /** The kit that `personalize` gets. */
  readonly kit: Kit;
  /** The kit that the answerer of one question gets. */
  question(id: string): Kit;
  /** The kits of another user in the same arm: same script, same log, same shared things. */
  user(id: string): FakeKit;
  /** Every call of the arm, in order. */
  readonly calls: readonly LoggedCall[];
  readonly notes: readonly (Note & { readonly question?: string })[];
  readonly incidents: ReadonlyMap<string, number>;
  /** How many calls were made per phase. */
  phases(): Partial<Record<Phase, number>>;
}

/** A kit whose model is a script, with the tagged log of what a method did through it. */
export function fakeKit(settings: FakeKitSettings): FakeKit {
  return fakeUser(settings, settings.user ?? "u1", {
    model: scriptedModel(settings.script),
    notes: [],
    incidents: new Map(),
    shared: new Map(),
  });
}

/** Hashed words, unit length: texts that share words are near. */
export const wordEmbedder: Embedder = {
  id: "test/words",
  dimensions: 64,
  embed: async (texts) => texts.map(wordVector),
};

interface FakeArm {
  readonly model: ReturnType<typeof scriptedModel>;
  readonly notes: (Note & { question?: string })[];
  readonly incidents: Map<string, number>;
  readonly shared: Map<string, Promise<unknown>>;
}

function fakeUser(settings: FakeKitSettings, user: string, arm: FakeArm): FakeKit {
  return {
    kit: open(settings, user, arm),
    question: (id) => open(settings, user, arm, id),
    user: (id) => fakeUser(settings, id, arm),
    calls: arm.model.calls,
    notes: arm.notes,
    incidents: arm.incidents,
    phases() {
      const counts: Partial<Record<Phase, number>> = {};
      for (const { phase } of arm.model.calls) counts[phase] = (counts[phase] ?? 0) + 1;
      return counts;
    },
  };
}

const CAPABILITIES: Capabilities = {
  temperature: true,
  stop: true,
  tools: true,
  prefill: true,
  logprobs: false,
  thinking: "none",
};

function open(settings: FakeKitSettings, user: string, arm: FakeArm, question?: string): Kit {
  const scope = question === undefined ? {} : { question };
  const seed = `${settings.seed ?? 0}`;
  const model = { id: "scripted", capabilities: { ...CAPABILITIES, ...settings.capabilities } };
  return {
    task: settings.task,
    model,
    models: { reference: model, judge: model },
    embedder: settings.embedder ?? wordEmbedder,
    others: othersPool(settings.others ?? []),
    retrieve: () => Promise.reject(new Error("there is no history here")),
    embed: (texts) => (settings.embedder ?? wordEmbedder).embed(texts),
    file: (name) => settings.files?.[name] ?? "",
    tool: (name) => settings.tools?.find((tool) => tool.name === name),
    random: (label) => seeded(`${seed}/${user}/${question ?? ""}/${label}`),
    runRandom: (label) => seeded(`${seed}//${label}`),
    ask: async (phase, request) => arm.model.reply({ phase, request, user, ...scope, text: textOf(request) }),
    program(_job, answer) {
      return answer(this, { repeat: 0, allCounted: () => undefined });
    },
    shared<T>(key: string, build: (kit: Kit) => Promise<T>): Promise<T> {
      const built = arm.shared.get(key) ?? build(open(settings, "", arm));
      arm.shared.set(key, built);
      return built as Promise<T>; // one builder per key, so one type per key
    },
    note: (note) => {
      arm.notes.push({ ...note, ...scope });
    },
    count: (incident) => {
      arm.incidents.set(incident, (arm.incidents.get(incident) ?? 0) + 1);
    },
  };
}

function othersPool(all: readonly PoolEvent[]): OthersPool {
  const visibleTo: OthersPool["visibleTo"] = (user, date) => (place) => {
    const { owner, event } = all[place] ?? { owner: user };
    return owner !== user && (date === undefined || event?.date === undefined || event.date <= date);
  };
  return {
    kind: "training users",
    isEmpty: all.length === 0,
    size: all.length,
    labelled: all.filter(({ event }) => event.label !== undefined).length,
    events: all,
    visibleTo,
    eventsFor: (user, date) => all.filter((_event, place) => visibleTo(user, date)(place)),
  };
}

function wordVector(text: string): Float32Array {
  const vector = new Float32Array(64);
  for (const word of text.toLowerCase().split(/\W+/)) {
    const at = Math.floor(seeded(word).next() * vector.length);
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
