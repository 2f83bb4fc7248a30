import type { Random } from "../../src/types/index.js";
import { fromYaml } from "./from-yaml.js";
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
    const tic = habits.next() < 0.5 ? ` ${pick(habits, words.tics)}` : "";
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

interface Product {
  readonly thing: string;
  readonly part: readonly string[];
  readonly remark: readonly string[];
}

function review(quality: number, product: Product, random: Random): string {
  const opinions = words.opinions[quality] ?? [];
  const [opinion, second] = random.sample(opinions, 2);
  const write = writer(random, {
    thing: [product.thing],
    part: product.part,
    remark: product.remark,
    opening: words.openings,
    opinion: [opinion ?? ""],
    second: [second ?? ""],
  });
  return write(pick(random, words.frames));
}

interface Words {
  readonly tics: readonly string[];
  /** By quality, worst to best. */
  readonly opinions: readonly (readonly string[])[];
  readonly frames: readonly string[];
  readonly openings: readonly string[];
  readonly products: readonly Product[];
}

const words: Words = fromYaml("reviews.yaml");

export const PRODUCTS = words.products;
