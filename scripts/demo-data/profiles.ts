import { fromYaml } from "./from-yaml.js";
import type { DemoUser } from "./people.js";

/** A question and what of a profile people would want to be used for it: own labels, for showing how the evaluation works. */
interface Asked {
  readonly text: string;
  readonly items: readonly string[];
  readonly gold?: string;
  /** The data set of RUMS whose kind it is of. */
  readonly dataset: string;
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
    query: ASKED.map(({ text, gold }, number) => ({
      id: `${questionId(number)}@p${at + 1}`,
      input: text,
      ...(gold === undefined ? {} : { gold }),
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

const ATTRIBUTES = [
  "home town",
  "occupation",
  "age",
  "family",
  "pets",
  "favourite foods",
  "dietary needs",
  "hobbies",
  "favourite sports",
  "music genre",
  "favourite books",
  "movie genre",
  "travel style",
  "monthly budget",
  "fitness goal",
  "languages",
  "work schedule",
  "current project",
  "tone of replies",
  "devices",
];

const PROFILES: readonly (readonly string[])[] = fromYaml("profiles.yaml");

const personal = (text: string, ...items: string[]): Asked => ({ text, items, dataset: "PersonaFeedback (own text)" });

const PERSONAL: readonly Asked[] = [
  personal("What foods should I cook this week?", "favourite foods", "dietary needs"),
  personal("Which books might I like next?", "favourite books"),
  personal("Plan a weekend of travel for me.", "travel style", "monthly budget", "family"),
  personal("What music genre suits my evening?", "music genre"),
  personal("Suggest a movie for tonight.", "movie genre"),
  personal("How can I reach my fitness goal this month?", "fitness goal", "work schedule"),
  personal("Where near my home town can I spend a day?", "home town", "hobbies"),
  personal("What could I give my family as a present?", "family", "monthly budget"),
  personal("Who looks after my pets while I travel?", "pets", "travel style"),
  personal("Write a note to my boss about my work schedule.", "work schedule", "occupation", "tone of replies"),
  personal("Which new hobbies fit my age?", "hobbies", "age"),
  personal("What next step does my current project need?", "current project"),
  personal("Which sports could I watch this weekend?", "favourite sports", "home town"),
  personal("I am hungry. What should I eat?", "favourite foods", "dietary needs"),
  personal("Help me to keep my monthly budget.", "monthly budget", "family"),
  personal("Which app for my devices helps me to plan a day?", "devices", "work schedule"),
  personal("Which languages should I learn next?", "languages"),
  personal("Recommend a podcast for my way to my occupation.", "occupation", "music genre"),
  personal("What should I read to children of my family?", "family", "favourite books"),
  personal("Name a restaurant with foods that I can have.", "dietary needs", "favourite foods", "home town"),
  personal("How do I fit sports into my work schedule?", "work schedule", "favourite sports", "fitness goal"),
  personal("Which course would help me in my occupation?", "occupation", "age"),
  personal("What gift would my pets enjoy?", "pets"),
  personal("Find a travel companion's greeting in my languages.", "languages", "travel style"),
  personal("Which devices should I replace first?", "devices", "monthly budget"),
  personal("Make a playlist of my music genre for hobbies at home.", "music genre", "hobbies"),
  personal("Give me a movie and foods for a night in.", "movie genre", "favourite foods"),
  personal("What can I do in my home town when it rains?", "home town", "hobbies", "family"),
  personal("How should I introduce my current project to friends?", "current project", "tone of replies"),
  personal("Set a realistic fitness goal for my age.", "age", "fitness goal"),
];

const general = (text: string, gold: string): Asked => ({ text, gold, items: [], dataset: "FreebaseQA (own text)" });

const GENERAL: readonly Asked[] = [
  general("Which planet is the largest of the solar system?", "Jupiter"),
  general("Who painted the Mona Lisa?", "Leonardo da Vinci"),
  general("What is the chemical symbol of gold?", "Au"),
  general("In which year did the Berlin Wall fall?", "1989"),
  general("Which river flows through Vienna?", "the Danube"),
  general("How many sides has a hexagon?", "six"),
  general("Who wrote Romeo and Juliet?", "William Shakespeare"),
  general("Which gas do plants take in from the air?", "carbon dioxide"),
  general("What is the capital of Australia?", "Canberra"),
  general("Which ocean lies between Africa and Brazil?", "the Atlantic"),
  general("What is the square root of 144?", "12"),
  general("Which metal is liquid at room temperature?", "mercury"),
  general("Who first stood on the Moon?", "Neil Armstrong"),
  general("Which country has the largest population in South America?", "Brazil"),
  general("What is the freezing point of water in Celsius?", "0"),
  general("Which instrument has 88 keys?", "the piano"),
  general("Which bird cannot fly and lives in Antarctica?", "the penguin"),
  general("Who discovered penicillin?", "Alexander Fleming"),
  general("What does a barometer measure?", "air pressure"),
  general("Which mountain is the highest on Earth?", "Mount Everest"),
  general("What is the longest bone of the human body?", "the femur"),
  general("Which alphabet begins with alpha and beta?", "Greek"),
  general("How many minutes has a day?", "1440"),
  general("Which desert covers much of North Africa?", "the Sahara"),
  general("What is the hardest natural mineral?", "diamond"),
  general("Which vitamin does sunlight help the skin to make?", "vitamin D"),
  general("Who composed the Moonlight Sonata?", "Ludwig van Beethoven"),
  general("Which unit measures electric resistance?", "the ohm"),
  general("Which strait separates Spain from Morocco?", "Gibraltar"),
  general("What is the smallest prime number?", "2"),
];

const chatted = (text: string, ...items: string[]): Asked => ({ text, items, dataset: "WildChat (own text)" });

/** In the kind of what people ask a chat: three that gain and three that do not. */
const CHATTED: readonly Asked[] = [
  chatted(
    "hey can u help me figure out dinner, got half an hour and not much in the fridge",
    "favourite foods",
    "dietary needs",
  ),
  chatted("make me a packing list for next weekend pls, u know how i travel", "travel style", "family"),
  chatted("i keep skipping workouts, give me a plan that i can stick to", "fitness goal", "work schedule"),
  chatted("rewrite this so it sounds more formal: we cant ship it before friday"),
  chatted("what does the error 'segmentation fault (core dumped)' mean"),
  chatted("give me a regex that matches dates like 2024-03-01"),
];

const ASKED: readonly Asked[] = [...PERSONAL, ...GENERAL, ...CHATTED];
