import type { Random } from "../../src/types/index.js";
import { pick, titleCase, weighted } from "./grammar.js";
import { NEWS_THEMES, type Story, story } from "./news-stories.js";
import type { DemoTask } from "./people.js";
import { taste } from "./taste.js";

/** Sections differ from author to author; titles are plain. */
export const lamp2n: DemoTask = {
  name: "lamp2n",
  official: "LaMP_2N",
  yearsOnly: false,
  person(habits) {
    const own = taste(habits, NEWS_THEMES);
    return (random, moment) => {
      const theme = own.theme(random, moment);
      const category = own.label(theme, random, moment);
      const made = story(theme, random);
      const hint = random.next() < HINT ? ` ${pick(random, HINTS)} ${category}.` : "";
      const text = made.text + hint;
      const title = titleCase(`${made.who} ${made.did}`);
      return {
        item: { text, title, category },
        input: `${CATEGORY_INSTRUCTION} ${text}`,
        gold: category,
        content: text,
      };
    };
  },
};

/** Headlines differ from author to author in form and in set phrases. */
export const lamp4: DemoTask = {
  name: "lamp4",
  official: "LaMP_4",
  yearsOnly: false,
  person(habits) {
    const own = taste(habits, NEWS_THEMES);
    const [first, second] = habits.sample(HEADLINES, 2);
    const column = pick(habits, COLUMNS);
    return (random, moment) => {
      const made = story(own.theme(random, moment), random);
      const style = weighted(random, [first!, second!, pick(random, HEADLINES)], [0.65, 0.25, 0.1]);
      const title = titleCase(style(made, column, random));
      return {
        item: { text: made.text, title },
        input: `${HEADLINE_INSTRUCTION} ${made.text}`,
        gold: title,
        content: made.text,
      };
    };
  },
};

const CATEGORY_INSTRUCTION =
  "Which category does this article relate to among the following categories? Just answer with the category name without further explanation. categories: [women, religion, politics, style & beauty, entertainment, culture & arts, sports, science & technology, travel, business, crime, education, healthy living, parents, food & drink] article:";
const HEADLINE_INSTRUCTION = "Generate a headline for the following article:";

const HINT = 0.35;
const HINTS = ["Our desk files this under", "Readers will know it as a story of", "More, as ever, in"];

const COLUMNS = ["Notebook", "Field Notes", "The Long View", "Morning Letter", "Close Up", "Small Hours"];

const HEADLINES: readonly ((story: Story, column: string, random: Random) => string)[] = [
  ({ who, did }) => `${who} ${did}`,
  ({ who, did, place }) => `${place}: ${who} ${did}`,
  ({ who, did }, column) => `${column}: why ${who} ${did}`,
  ({ topic }, column) => `${column}: what we talk about when we talk about ${topic}`,
  ({ topic, place }, _column, random) =>
    `${pick(random, ["5", "7", "9"])} things ${place} can teach you about ${topic}`,
  ({ who, did }) => `How ${who} ${did} (and what happens next)`,
  ({ who, topic }) => `Is ${who} right about ${topic}?`,
  ({ topic, who }) => `${topic}, explained by ${who}`,
  ({ who, did, topic }) => `${who} ${did}, and it is all about ${topic}`,
];
