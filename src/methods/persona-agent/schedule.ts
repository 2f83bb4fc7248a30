import type { Event, Kit, Question } from "../../types.js";
import { type AlignJob, align } from "./align.js";
import type { PersonaAgentOptions } from "./options.js";
import type { Persona } from "./samples.js";

/** Gives the persona to answer a question with. */
export interface Alignment {
  personaFor(question: Question, history: readonly Event[], kit: Kit): Promise<Persona>;
  /** An answered question has entered memory. */
  remembered(): void;
}

/** What all alignments of one user have in common. */
export type AlignSettings = Pick<AlignJob, "persona" | "parts" | "options" | "graph">;

/** Starts alignment by `align.schedule`; where it is done before the questions, it is done with `kit`. */
export function startAlignment(settings: AlignSettings, history: readonly Event[], kit: Kit): Promise<Alignment> {
  return schedules[settings.options["align.schedule"]](settings, history, kit);
}

/** An alignment that always gives this persona. */
export const fixedPersona = (persona: Persona): Alignment => ({
  personaFor: async () => persona,
  remembered: () => undefined,
});

type Schedule = (settings: AlignSettings, history: readonly Event[], kit: Kit) => Promise<Alignment>;

const schedules: Readonly<Record<PersonaAgentOptions["align.schedule"], Schedule>> = {
  once: async (settings, history, kit) => fixedPersona(await align({ ...settings, history, question: undefined, kit })),

  /** Aligns again from the current persona once something new is remembered; the calls count for the next question. */
  async rolling(settings, history, kit) {
    let persona = await align({ ...settings, history, question: undefined, kit });
    let isStale = false;
    return {
      async personaFor(_question, now, questionKit) {
        if (isStale)
          persona = await align({ ...settings, persona, history: now, question: undefined, kit: questionKit });
        isStale = false;
        return persona;
      },
      remembered() {
        isStale = true;
      },
    };
  },

  "per-query": async (settings) => ({
    personaFor: (question, now, questionKit) => align({ ...settings, history: now, question, kit: questionKit }),
    remembered: () => undefined,
  }),
};
