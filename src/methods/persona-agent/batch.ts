import { episodicMemory } from "../../memory/episodic.js";
import type { Event, Kit, Question } from "../../types/index.js";
import type { PersonaAgentOptions } from "./options.js";

/** The past interactions to simulate in iteration 1, 2, ...: oldest first, fewer than wanted where the history is shorter. */
type Batches = (iteration: number) => readonly Event[];

interface Batching {
  /** Events that can be asked as questions, oldest first. */
  readonly candidates: readonly Event[];
  /** The real question, where alignment is per query. */
  readonly question: Question | undefined;
  readonly options: PersonaAgentOptions;
  readonly kit: Kit;
}

/** Chooses by `align.batch`. */
export function openBatches(batching: Batching): Promise<Batches> {
  return choosers[batching.options["align.batch"]](batching);
}

/** Events with a label that the task can turn into a question again. */
export function askable(history: readonly Event[], kit: Pick<Kit, "task">): readonly Event[] {
  return history.filter((event) => event.label !== undefined && kit.task.pose(event) !== undefined);
}

type Chooser = (batching: Batching) => Promise<Batches>;

const choosers: Readonly<Record<PersonaAgentOptions["align.batch"], Chooser>> = {
  async latest({ candidates, options }) {
    const batch = candidates.slice(-options["align.batchSize"]);
    return () => batch;
  },

  async random({ candidates, options, kit }) {
    const drawn = new Set(kit.random("align.batch").sample(candidates, options["align.batchSize"]));
    const batch = candidates.filter((event) => drawn.has(event));
    return () => batch;
  },

  async similar({ candidates, question, options, kit }) {
    if (question === undefined) throw new Error("a batch of similar events needs a question");
    const settings = { ...options, "memory.k": options["align.batchSize"], "memory.minScore": undefined };
    const memory = await episodicMemory(candidates, { ...settings, select: undefined }, kit, kit.random("align.batch"));
    const found = new Set((await memory.recall(question.content)).map(({ event }) => event));
    const batch = candidates.filter((event) => found.has(event));
    return () => batch;
  },

  /** Windows walk back in time and start over at the newest, so that fewer iterations are a prefix of more. */
  async rolling({ candidates, options }) {
    const size = options["align.batchSize"];
    const windows = Math.max(1, Math.ceil(candidates.length / size));
    return (iteration) => {
      const end = candidates.length - ((iteration - 1) % windows) * size;
      return candidates.slice(Math.max(0, end - size), end);
    };
  },
};
