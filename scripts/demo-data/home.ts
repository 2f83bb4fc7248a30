import { seeded } from "../../src/random/seeded.js";
import type { Random } from "../../src/types/index.js";
import { fromYaml } from "./from-yaml.js";
import { pick } from "./grammar.js";
import type { DemoUser } from "./people.js";

const USERS = 12;
const DAYS = 8;

/**
 * Commands and feedback of people at home over some days, and questions about what they like: text only, in the kind of SAGE.
 * Own text; no device is simulated.
 */
export function homeUsers(): DemoUser[] {
  return Array.from({ length: USERS }, (_, i) => {
    const id = `h${String(i + 1).padStart(2, "0")}`;
    const random = seeded(`demo data/home-commands/${id}`);
    const tastes = TASTES.map((taste) => ({ taste, ...likedOf(taste.values, random) }));
    const days = Array.from({ length: DAYS }, (_, day) => dayOf(tastes, random.fork(`day ${day}`)));
    const profile = days.flatMap((events, day) => events.map((event) => ({ ...event, date: dateOf(i, day) })));
    return {
      user_id: id,
      profile: profile.map((event, at) => ({ id: `${id}-${String(at + 1).padStart(2, "0")}`, ...event })),
      query: tastes.map(({ taste, liked }, at) => ({
        id: `${id}-q${at + 1}`,
        input: `${INSTRUCTION} possible answers: [${taste.values.join(", ")}] question: ${taste.question}`,
        gold: liked,
        date: dateOf(i, DAYS),
      })),
    };
  });
}

const INSTRUCTION = "Answer for the person of this home with one of the possible answers and nothing else.";

interface Taste {
  readonly values: readonly string[];
  /** Commands in which VALUE stands for what is wanted. */
  readonly commands: readonly string[];
  /** What is said when VALUE was not wanted. */
  readonly feedback: string;
  readonly question: string;
}

interface Liked {
  readonly taste: Taste;
  readonly liked: string;
  readonly disliked: string;
}

const TASTES: readonly Taste[] = fromYaml("home.yaml");

/** Said by everybody, and telling nothing. */
const PLAIN = ["turn the oven off", "what is the weather like tomorrow", "lock the front door", "start the dishwasher"];

function likedOf(values: readonly string[], random: Random): { readonly liked: string; readonly disliked: string } {
  const [liked = "", disliked = ""] = random.sample(values, 2);
  return { liked, disliked };
}

function dayOf(tastes: readonly Liked[], random: Random): { readonly kind: string; readonly text: string }[] {
  const said = random
    .sample(tastes, 2)
    .map(({ taste, liked, disliked }) =>
      random.next() < 0.7
        ? { kind: "command", text: pick(random, taste.commands).replace("VALUE", liked) }
        : { kind: "feedback", text: taste.feedback.replace("VALUE", disliked) },
    );
  return [...said, { kind: "command", text: pick(random, PLAIN) }];
}

const dateOf = (user: number, day: number): string =>
  `2024-${String(1 + user).padStart(2, "0")}-${String(3 + day).padStart(2, "0")}`;
