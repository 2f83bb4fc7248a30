import { fromYaml } from "./from-yaml.js";
import type { DemoUser } from "./people.js";

/** A question and what of a profile people would want to be used for it: own labels, for showing how the evaluation works. */
interface Asked {
  readonly text: string;
  readonly items?: readonly string[];
  readonly gold?: string;
}

/**
 * 30 questions that gain from what is known of a person, 30 of general knowledge and 6 as people ask a chat, each asked for 5 profiles of 20
 * attributes: own text in the kind of RUMS.
 */
export function profileUsers(): DemoUser[] {
  return PROFILES.map((values, at) => ({
    user_id: `p${at + 1}`,
    profile: ATTRIBUTES.map((attribute, number) => ({
      id: idOf(attribute, at),
      attribute,
      value: values[number] ?? "",
    })),
    query: ASKED.map(({ text, gold, items, dataset }, number) => ({
      id: `${questionId(number)}@p${at + 1}`,
      input: text,
      ...(gold === undefined ? {} : { gold }),
      tags: { personal: items.length > 0 ? "yes" : "no", dataset },
    })),
  }));
}

/** What `lamp-eval rums eval --labels` reads. An attribute has the same name in each profile. */
export function profileLabels(): Record<string, object> {
  return Object.fromEntries(
    PROFILES.flatMap((_, at) =>
      ASKED.map(({ items, dataset }, number) => [
        `${questionId(number)}@p${at + 1}`,
        { personal: items.length > 0, items: items.map((attribute) => idOf(attribute, at)), dataset },
      ]),
    ),
  );
}

const questionId = (number: number): string => `q${String(number + 1).padStart(2, "0")}`;

const idOf = (attribute: string, profile: number): string => `p${profile + 1}-${attribute.replaceAll(" ", "-")}`;

const PROFILES: readonly (readonly string[])[] = fromYaml("profiles.yaml");

interface Questions {
  readonly ATTRIBUTES: readonly string[];
  /** Gain from what is known of a person; of general knowledge; as people ask a chat. */
  readonly PERSONAL: readonly Asked[];
  readonly GENERAL: readonly Asked[];
  readonly CHATTED: readonly Asked[];
}

const { ATTRIBUTES, PERSONAL, GENERAL, CHATTED } = fromYaml<Questions>("questions.yaml");

const of = (asked: readonly Asked[], dataset: string) =>
  asked.map(({ items = [], ...one }) => ({ ...one, items, dataset: `${dataset} (own text)` }));

/** With the data set of RUMS whose kind they are of. */
const ASKED = [...of(PERSONAL, "PersonaFeedback"), ...of(GENERAL, "FreebaseQA"), ...of(CHATTED, "WildChat")];
