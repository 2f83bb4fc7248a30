import { fromYaml } from "./from-yaml.js";
import { pick, writer } from "./grammar.js";
import type { DemoTask } from "./people.js";
import { type Theme, taste } from "./taste.js";

interface MovieTheme extends Theme {
  readonly words: Readonly<Record<"hero" | "goal" | "place" | "trouble" | "detail", readonly string[]>>;
}

export const lamp2m: DemoTask = {
  name: "lamp2m",
  official: "LaMP_2M",
  yearsOnly: false,
  person(habits) {
    const own = taste(habits, THEMES);
    return (random, moment) => {
      const theme = own.theme(random, moment);
      const tag = own.label(theme, random, moment);
      const description = describe(theme, tag, random);
      return { item: { tag, description }, input: `${INSTRUCTION} ${description}`, gold: tag, content: description };
    };
  },
};

const INSTRUCTION =
  "Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. tags: [sci-fi, based on a book, comedy, action, twist ending, dystopia, dark comedy, classic, psychology, fantasy, romance, thought-provoking, social commentary, violence, true story] description:";

/** How often the text gives the tag away, and how often it hints at another. */
const HINT = 0.4;
const FALSE_HINT = 0.15;

const FRAMES = [
  "{hero} sets out to {goal} in {place}. {trouble}. {detail}.",
  "In {place}, {hero} must {goal}, until {trouble}. {detail}.",
  "When {trouble}, {hero} has one night to {goal}. The road leads through {place}. {detail}.",
  "{detail}. Years later {hero} returns to {place} to {goal}, and {trouble}.",
  "Nobody in {place} believes that {hero} can {goal}. Then {trouble}. {detail}.",
  "{hero} and a reluctant ally try to {goal}. {detail}, and soon {trouble} in {place}.",
];

function describe(theme: MovieTheme, tag: string, random: Parameters<DemoTask["person"]>[0]): string {
  const write = writer(random, theme.words);
  const plot = write(pick(random, FRAMES));
  const draw = random.next();
  const hinted = draw < HINT ? tag : draw < HINT + FALSE_HINT ? pick(random, theme.labels) : undefined;
  const hint = hinted === undefined ? undefined : pick(random, HINTS[hinted] ?? []);
  return hint === undefined ? plot : `${plot} ${hint}`;
}

const HINTS: Readonly<Record<string, readonly string[]>> = {
  "sci-fi": ["Half sci-fi puzzle, half chase.", "Strange technology decides who gets home."],
  "based on a book": ["Adapted from a much loved book.", "The book behind it filled three volumes."],
  comedy: ["A warm comedy of errors follows.", "Every plan collapses into comedy and laughter."],
  action: ["The action hardly stops for breath.", "Chases, leaps and explosive action fill the second half."],
  "twist ending": ["The ending turns everything upside down.", "A late twist changes the meaning of the first scene."],
  dystopia: [
    "The regime watches every street of this bleak dystopia.",
    "Rations, curfews and loudspeakers rule the day.",
  ],
  "dark comedy": [
    "The jokes are dark and land at funerals.",
    "A dark, deadpan comedy about bad luck and worse people.",
  ],
  classic: ["Shot in black and white, it feels like a classic.", "A classic of the old studio days, restored."],
  psychology: ["The film studies a mind under pressure.", "Memory, guilt and psychology matter more than plot."],
  fantasy: ["Spells and talking animals make it pure fantasy.", "Magic, once lost, comes back through the mirror."],
  romance: ["A slow romance grows between two strangers.", "Love letters and one kiss at the station decide it."],
  "thought-provoking": [
    "It leaves hard questions unanswered and the thought lingers.",
    "A quiet, thought-provoking look at what we owe each other.",
  ],
  "social commentary": [
    "Behind it stands a sharp commentary on rich and poor.",
    "Its portrait of social class and work is merciless.",
  ],
  violence: ["The violence is sudden and hard to watch.", "Blood is spilled in a brutal last act."],
  "true story": ["It is drawn from a true story.", "The true events made headlines at the time."],
};

const THEMES: readonly MovieTheme[] = fromYaml("movies.yaml");
