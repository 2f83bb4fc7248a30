import { type EpisodicMemory, episodicMemory } from "../../memory/episodic.js";
import { normalized } from "../../text/normalized.js";
import type { Event, Kit, Question } from "../../types/index.js";
import type { PersonaAgentOptions } from "./options.js";
import { hasMemoryTool, type Parts } from "./parts.js";
import { respond } from "./respond.js";
import { inOrder, type Persona, type Sample, withoutFailedCall } from "./samples.js";
import type { GraphTool } from "./tools.js";

/** Simulates past interactions under a persona; those whose calls failed for good are left out. */
export type Simulator = (events: readonly Event[], persona: Persona, kit: Kit) => Promise<readonly Sample[]>;

interface SimulatorSettings {
  /** V: the whole visible past, oldest first. */
  readonly history: readonly Event[];
  /** The wording to ask in; undefined: the task's own. */
  readonly like: Question | undefined;
  readonly parts: Parts;
  readonly options: PersonaAgentOptions;
  readonly graph: GraphTool | undefined;
}

/**
 * The memory of a simulated event holds only what `align.memoryCutoff` lets through: the leak guard (METHODS 7.4). What
 * others did is looked up as for any question: not after the event's date, and no twin of it.
 */
export function simulator(settings: SimulatorSettings): Simulator {
  const { history, like, parts, options, graph } = settings;
  const pasts = new Map<string, readonly Event[]>(); // the same batch comes back in every iteration
  const memories = new Map<string, Promise<EpisodicMemory>>();
  const pastOf = (event: Event): readonly Event[] => {
    const past = pasts.get(event.id) ?? eventsVisibleAt(history, event, options["align.memoryCutoff"]);
    pasts.set(event.id, past);
    return past;
  };
  const memoryAt = (event: Event, kit: Kit): Promise<EpisodicMemory> => {
    const built =
      memories.get(event.id) ?? episodicMemory(pastOf(event), options, kit, kit.random(`memory/${event.id}`));
    memories.set(event.id, built);
    return built;
  };

  const simulate = async (event: Event, persona: Persona, kit: Kit): Promise<Sample | undefined> => {
    const question = kit.task.pose(event, like);
    const expected = event.label;
    if (question === undefined || expected === undefined) throw new Error(`event ${event.id} cannot be asked`);
    const memory = hasMemoryTool(parts) ? await memoryAt(event, kit) : undefined;
    const tool = await graph?.(question, pastOf(event));
    const turn = { phase: "simulate", question, persona: persona.text, memory, graph: tool, parts, options } as const;
    const response = await withoutFailedCall("simulation-failed", kit, () => respond(turn, kit));
    kit.note({
      kind: "simulation",
      data: {
        event: event.id,
        persona: persona.version,
        question: question.text,
        expected,
        response: response ?? null,
        visible: memory?.size ?? 0,
      },
    });
    return response === undefined ? undefined : { event, question, expected, response };
  };

  return async (events, persona, kit) => {
    const samples = await inOrder(events, kit, (event, eventKit) => simulate(event, persona, eventKit));
    return samples.filter((sample) => sample !== undefined);
  };
}

type Cutoff = "before-event" | "exclude-self" | "none";

/**
 * The part of a history that may be remembered while `event` is being simulated (METHODS 7.4, leak guard):
 * `before-event` what came before it, `exclude-self` all other events, `none` everything (leaks the answer).
 * The first two also leave out events with the same content. `history` is oldest first and holds `event`.
 */
export function eventsVisibleAt(history: readonly Event[], event: Event, cutoff: Cutoff): readonly Event[] {
  if (cutoff === "none") return history;
  const at = history.findIndex(({ id }) => id === event.id);
  const earlier = cutoff === "before-event" ? history.slice(0, Math.max(0, at)) : history;
  const content = normalized(event.content);
  return earlier.filter((other) => other.id !== event.id && normalized(other.content) !== content);
}
