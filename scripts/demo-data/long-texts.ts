import { seeded } from "../../src/random/seeded.js";
import type { Random } from "../../src/types/index.js";
import { fromYaml } from "./from-yaml.js";
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

type List =
  | "OPENINGS"
  | "CLOSINGS"
  | "ASIDES"
  | "WHEN"
  | "PERSONS"
  | "USES"
  | "METHODS"
  | "FIELDS"
  | "FINDINGS"
  | "SUBJECTS"
  | "TROUBLES";
type Frame = "REVIEW_FRAMES" | "ABSTRACT_FRAMES" | "TOPIC_FRAMES";
const words: Readonly<Record<List | Frame, readonly string[]>> = fromYaml("long-texts.yaml");
const { OPENINGS, CLOSINGS, ASIDES, WHEN, PERSONS, USES, METHODS, FIELDS, FINDINGS, SUBJECTS, TROUBLES } = words;
const { REVIEW_FRAMES, ABSTRACT_FRAMES, TOPIC_FRAMES } = words;

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
