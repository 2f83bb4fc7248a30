import type { Random } from "../../src/types/index.js";
import { pick, weighted, writer } from "./grammar.js";
import type { DemoTask } from "./people.js";

/** People differ in severity: the same words stand for different scores. */
export const lamp3: DemoTask = {
  name: "lamp3",
  official: "LaMP_3",
  yearsOnly: false,
  person(habits) {
    const scores = pick(habits, SEVERITIES);
    const luck = pick(habits, QUALITIES);
    const things = habits.sample(PRODUCTS, 4);
    const tic = habits.next() < 0.5 ? ` ${pick(habits, TICS)}` : "";
    return (random) => {
      const quality = weighted(random, [0, 1, 2, 3, 4], luck);
      const text = review(quality, pick(random, things), random) + tic;
      const usual = scores[quality] ?? 3;
      const score = String(random.next() < NOISE ? near(usual, random) : usual);
      return { item: { text, score }, input: `${INSTRUCTION} ${text}`, gold: score, content: text };
    };
  },
};

const INSTRUCTION =
  "What is the score of the following review on a scale of 1 to 5? just answer with 1, 2, 3, 4, or 5 without further explanation. review:";

const NOISE = 0.2;
const near = (score: number, random: Random): number =>
  Math.min(5, Math.max(1, score + (random.next() < 0.5 ? -1 : 1)));

/** Score for each quality, worst to best, by kind of person: even, generous, harsh, all-or-nothing, cautious. */
const SEVERITIES = [
  [1, 2, 3, 4, 5],
  [2, 3, 4, 5, 5],
  [1, 1, 2, 3, 4],
  [1, 1, 3, 5, 5],
  [2, 2, 3, 4, 4],
  [3, 4, 4, 5, 5],
] as const;

/** How often a person meets each quality. */
const QUALITIES = [
  [2, 2, 2, 3, 3],
  [1, 2, 2, 2, 1],
  [2, 2, 2, 2, 2],
  [3, 2, 2, 2, 3],
] as const;

const TICS = [
  "Posted from the kitchen table.",
  "Just my two cents.",
  "Bought with my own money.",
  "Your mileage may vary.",
];

const OPINIONS: readonly (readonly string[])[] = [
  [
    "Terrible from start to finish",
    "A complete waste of money",
    "It broke on the first day and I want a refund",
    "Awful, the worst {thing} I ever had",
    "Useless and badly made",
  ],
  [
    "Disappointing overall",
    "I expected better for the price",
    "It feels cheap and the {part} is weak",
    "Rather poor, with too many flaws",
    "I regret buying it",
  ],
  [
    "It is okay, nothing more",
    "Average, with some good and some bad sides",
    "Does the job, though the {part} could be better",
    "Neither good nor bad",
    "A decent {thing} for occasional use",
  ],
  [
    "Good value and nicely made",
    "I like it and use it often",
    "Works well apart from the {part}",
    "A solid {thing} that I would buy again",
    "Pleasantly surprised by the {part}",
  ],
  [
    "Absolutely wonderful, I love it",
    "Excellent in every way, a perfect {thing}",
    "The best {thing} I have ever owned",
    "Outstanding quality, the {part} is brilliant",
    "Fantastic, I recommend it to everyone",
  ],
];

const FRAMES = [
  "{opening}. {opinion}. {second}, {remark}.",
  "{opinion}! {second}. {opening}, {remark}.",
  "{opening}. {remark}. {opinion}. {second}.",
  "{opinion}, and {remark}. {second}.",
];

export interface Product {
  readonly thing: string;
  readonly part: readonly string[];
  readonly remark: readonly string[];
}

function review(quality: number, product: Product, random: Random): string {
  const opinions = OPINIONS[quality] ?? [];
  const [opinion, second] = random.sample(opinions, 2);
  const write = writer(random, {
    thing: [product.thing],
    part: product.part,
    remark: product.remark,
    opening: OPENINGS,
    opinion: [opinion ?? ""],
    second: [second ?? ""],
  });
  return write(pick(random, FRAMES));
}

const OPENINGS = [
  "I bought this {thing} two months ago",
  "My sister gave me this {thing}",
  "This is my third {thing} of the brand",
  "I ordered the {thing} after a long search",
  "We have had the {thing} since spring",
  "I wanted a new {thing} for the holidays",
];

export const PRODUCTS: readonly Product[] = [
  {
    thing: "kettle",
    part: ["lid", "handle", "switch"],
    remark: ["the water boils in two minutes", "it whistles like a train", "the cord is short"],
  },
  {
    thing: "novel",
    part: ["ending", "first chapter", "dialogue"],
    remark: [
      "the story follows three sisters on a farm",
      "I read it on the train",
      "the murderer appears on page nine",
    ],
  },
  {
    thing: "tent",
    part: ["zip", "floor", "pole"],
    remark: ["we took it to the mountains in the rain", "it packs small", "two adults fit inside"],
  },
  {
    thing: "headset",
    part: ["microphone", "cushion", "battery"],
    remark: ["the battery lasts a working day", "calls sound clear in the office", "it connects to my phone"],
  },
  {
    thing: "garden hose",
    part: ["nozzle", "coupling", "reel"],
    remark: ["it is twenty metres long", "the roses get enough water", "it survived one winter outside"],
  },
  {
    thing: "board game",
    part: ["rule book", "dice", "board"],
    remark: ["a round takes an hour", "four of us played it on Sunday", "the cards show old ships"],
  },
  {
    thing: "rucksack",
    part: ["strap", "pocket", "buckle"],
    remark: ["my laptop fits inside", "I carry it to work every day", "the colour is a dark green"],
  },
  {
    thing: "lamp",
    part: ["shade", "dimmer", "foot"],
    remark: ["it stands beside my bed", "the light is warm", "the bulb is not included"],
  },
  {
    thing: "frying pan",
    part: ["coating", "handle", "rim"],
    remark: ["eggs slide off without butter", "it is heavy", "it works on induction"],
  },
  {
    thing: "concert recording",
    part: ["sound", "second track", "booklet"],
    remark: ["the quartet was recorded live", "the audience coughs a lot", "it lasts seventy minutes"],
  },
];
