import { seeded } from "../../src/random/seeded.js";
import type { Random } from "../../src/types/index.js";
import { pick, titleCase, writer } from "./grammar.js";
import { PRODUCTS } from "./reviews.js";

/** A row as in the tables of LongLaMP. */
type LongRow = Readonly<Record<string, unknown>>;

/** What an author writes once: the facts, in the fields of a past item, and the question that asks for the text. */
interface LongText {
  readonly item: Readonly<Record<string, string>>;
  readonly text: string;
  readonly input: string;
}

interface LongTask {
  readonly name: string;
  /** The column of the user. */
  readonly user: string;
  write(facts: Random, author: Author): LongText;
}

const AUTHORS = 12;
const PAST = 8;
const LONG_AUTHOR = 6;
const LONG_REPEATS = 15;

/** 12 authors of 8 own texts and one question each; one author has a past item of more than a thousand words. */
export const longTexts = (): [string, string][] =>
  TASKS.map((task) => {
    const rows = Array.from({ length: AUTHORS }, (_, a): LongRow => {
      const random = seeded(`demo data/${task.name}/${a}`);
      const author = authorOf(random.fork("habits"));
      const made = Array.from({ length: PAST + 1 }, (_, i) => task.write(random.fork(`text ${i}`), author));
      const [asked, ...past] = made as [LongText, ...LongText[]];
      const profile = past.map(({ item, text }, i) =>
        finished(item, a === LONG_AUTHOR && i === 0 ? Array(LONG_REPEATS).fill(text).join(" ") : text),
      );
      return {
        [task.user]: `writer${String(a + 1).padStart(2, "0")}`,
        input: asked.input,
        output: asked.text,
        profile,
      };
    });
    return [`${task.name}/test.jsonl`, `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`];
  });

/** The item with its text where the field of the text waits for it. */
const TEXT = "TEXT";
const finished = (item: LongText["item"], text: string) =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, value === TEXT ? text : value]));

/** How somebody writes: opening, closing and favourite asides come back in all texts. */
interface Author {
  readonly opening: string;
  readonly closing: string;
  readonly asides: readonly string[];
  readonly sentences: number;
}

const authorOf = (random: Random): Author => ({
  opening: pick(random, OPENINGS),
  closing: pick(random, CLOSINGS),
  asides: random.sample(ASIDES, 3),
  sentences: 4 + random.below(3),
});

function told(
  random: Random,
  { opening, closing, asides, sentences }: Author,
  own: Grammar,
  frames: readonly string[],
) {
  const write = writer(random, { ...own, when: WHEN, person: PERSONS });
  const body = random.sample(frames, sentences);
  const aside = random.sample(asides, 2);
  return [opening, body[0], aside[0], ...body.slice(1), aside[1], closing].map((part) => write(part ?? "")).join(" ");
}

type Grammar = Readonly<Record<string, readonly string[]>>;

const review: LongTask = {
  name: "longlamp-review",
  user: "reviewerId",
  write(random, author) {
    const { thing, part, remark } = pick(random, PRODUCTS);
    const good = random.next() < 0.6;
    const own = {
      topic: [thing],
      part,
      remark,
      verdict: good ? ["well made", "worth the money"] : ["badly made", "a let-down"],
    };
    const write = writer(random, own);
    const overall = good ? pick(random, ["4.0", "5.0"]) : pick(random, ["1.0", "2.0"]);
    const description = write(
      `{topic} with ${pick(random, ["steel", "wooden", "light", "washable", "spare"])} {part}, for ${pick(random, USES)}`,
    );
    const summary = write("{topic}: {verdict}");
    return {
      item: { overall, summary, description, reviewText: TEXT },
      text: told(random, author, own, REVIEW_FRAMES),
      input: `Generate the review text written by a reviewer who has given an overall rating of "${overall}" for a product with description "${description}". The summary of the review text is "${summary}".`,
    };
  },
};

const abstract: LongTask = {
  name: "longlamp-abstract",
  user: "name",
  write(random, author) {
    const [method, field] = [pick(random, METHODS), pick(random, FIELDS)];
    const own = { topic: [`${method} for ${field}`], method: [method], field: [field], finding: FINDINGS };
    const title = titleCase(`${pick(random, ["On", "Revisiting", "Towards", "Limits of"])} ${method} for ${field}`);
    const items = [...random.sample(FINDINGS, 2), `data from ${field}`].join(", ");
    return {
      item: { title, abstract: TEXT },
      text: told(random, author, own, ABSTRACT_FRAMES),
      input: `Generate an abstract for the title "${title}" using the following items: ${items}`,
    };
  },
};

const topic: LongTask = {
  name: "longlamp-topic",
  user: "author",
  write(random, author) {
    const subject = pick(random, SUBJECTS);
    const own = { topic: [subject], trouble: TROUBLES };
    const write = writer(random, own);
    const summary = write("{person} and {topic}: {trouble}".replace("{person}", pick(random, PERSONS)));
    return {
      item: { summary, content: TEXT },
      text: told(random, author, own, TOPIC_FRAMES),
      input: `Generate the content for a reddit post ${summary}`,
    };
  },
};

const TASKS = [abstract, review, topic];

const OPENINGS = [
  "Let me start with the plain facts.",
  "Right, here is how it went.",
  "I kept notes for {when}, so this is long.",
  "Nobody asked, but I will tell it anyway.",
  "Short version first: read the last line.",
  "I have thought about this for {when}.",
];
const CLOSINGS = [
  "That is all there is to say.",
  "Make of that what you will.",
  "I shall write again when I know more.",
  "Would I do it again? Ask me in spring.",
  "Corrections are welcome, as ever.",
  "Thank you for reading this far.",
];
const ASIDES = [
  "My {person} laughed at that.",
  "I am no expert, mind you.",
  "To be fair, the weather was against us.",
  "As my grandmother used to say, measure twice.",
  "Numbers do not lie, people do.",
  "This surprised me more than it should have.",
  "I checked it three times.",
  "Say what you like, it matters.",
  "In short, nothing is ever simple.",
];
const WHEN = ["two weeks", "a month", "half a year", "three days"];
const PERSONS = ["sister", "neighbour", "colleague", "flatmate", "uncle"];
const USES = ["camping", "small kitchens", "long trips", "the office", "children", "rainy days"];
const REVIEW_FRAMES = [
  "I used the {topic} for {when} and found it {verdict}.",
  "The {part} is the first thing that you notice.",
  "What I can tell from daily use is that {remark}.",
  "My {person} has the same {topic} and thinks that it is {verdict}.",
  "The box was dented, yet the {topic} inside had not a scratch.",
  "After {when} the {part} still looks as it did on the first day.",
  "For the price I had expected a better {part} and thicker paper in the manual.",
  "If you wonder about the size, it fits on any shelf of mine.",
];
const ABSTRACT_FRAMES = [
  "We study {topic} and ask when it pays.",
  "Earlier work on {field} treats {method} as given.",
  "Our experiments ran for {when} on data that anybody can obtain.",
  "We find that {+finding}.",
  "A simple baseline without {method} is closer than expected, since {+finding}.",
  "Three ablations show which part of {method} carries the effect.",
  "The results hold for two further sets of data from {field}.",
  "We release code, logs and all failed runs.",
];
const TOPIC_FRAMES = [
  "It began with {topic} and ended with {trouble}.",
  "For {when} I did nothing about {topic}, which was a mistake.",
  "Then my {person} came over and said that {trouble} was to be expected.",
  "I read every guide on {topic} that I could find.",
  "Most of the advice contradicts itself, above all on {topic}.",
  "We argued for {when} about who had caused {trouble}.",
  "In the end a cheap tool and some patience did it.",
  "What would you have done about {trouble}?",
];
const METHODS = ["nearest neighbours", "ranked retrieval", "sparse coding", "spectral sorting", "lazy evaluation"];
const FIELDS = ["river maps", "bird songs", "old handwriting", "bus timetables", "weather logs", "library loans"];
const FINDINGS = [
  "half of the gain comes from cleaning",
  "small samples mislead",
  "order matters more than size",
  "errors cluster by season",
  "the simplest rule wins twice",
];
const SUBJECTS = [
  "sourdough",
  "my old bicycle",
  "a leaking roof",
  "chess by post",
  "the allotment",
  "night trains",
  "a choir",
];
const TROUBLES = ["a lost key", "a flooded cellar", "a broken promise", "too many opinions", "a very long winter"];
