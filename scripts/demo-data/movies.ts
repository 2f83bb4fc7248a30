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

const HINTS: Readonly<Record<string, readonly string[]>> = fromYaml("movie-hints.yaml");

const THEMES: readonly MovieTheme[] = fromYaml("movies.yaml");
