import { seeded } from "../../../src/random/seeded.js";
import type { Random } from "../../../src/types/index.js";

export interface Movie {
  readonly description: string;
  readonly tag: string;
}

export interface Viewer {
  readonly past: readonly Movie[];
  readonly asked: readonly Movie[];
}

/** Topics that say nothing of a tag in general; each viewer ties each topic to one tag, and sometimes departs from it. */
const topics: readonly string[][] = [
  "harbor ferry captain anchor dock sail tide gull mooring lantern".split(" "),
  "bakery flour oven apron rye sourdough counter pastry kneading crust".split(" "),
  "chess bishop tournament opening clock pawn checkmate gambit rook champion".split(" "),
  "orchard apple ladder harvest cider pruning blossom crate hedge frost".split(" "),
  "violin rehearsal conductor quartet bow encore cellist score overture strings".split(" "),
  "glacier rope summit avalanche crampon ridge basecamp blizzard tent altitude".split(" "),
];

/** Words that speak for a tag to anybody. */
const cues: Readonly<Record<string, string>> = {
  "sci-fi": "spaceship",
  comedy: "hilarious",
  action: "mercenary",
  "twist ending": "disappearance",
  dystopia: "totalitarian",
  psychology: "psychiatrist",
  fantasy: "wizard",
  romance: "wedding",
  violence: "gangster",
  classic: "western",
};

const fillers = "a quiet town where someone finds old letters and must decide what to keep before winter comes".split(
  " ",
);

/** Viewers with 24 past movies and 6 questions each; the same for every call with the same arguments. */
export function movieHistories(seed: string, viewers: number): Viewer[] {
  return Array.from({ length: viewers }, (_, i) => viewer(seeded(`${seed}/${i}`)));
}

const tags = Object.keys(cues);

function viewer(random: Random): Viewer {
  const taste = random.sample(tags, 4);
  const tagOf = topics.map(() => taste[random.below(taste.length)] ?? "");
  const movies = Array.from({ length: 30 }, () => {
    const topic = random.below(topics.length);
    const tag = random.next() < 0.2 ? (tags[random.below(tags.length)] ?? "") : (tagOf[topic] ?? "");
    const cue = random.next() < 0.3 ? [cues[tag] ?? ""] : [];
    const words = [...random.sample(topics[topic] ?? [], 4), ...cue, ...random.sample(fillers, 8)];
    return { description: `${random.sample(words, words.length).join(" ")}.`, tag };
  });
  return { past: movies.slice(0, 24), asked: movies.slice(24) };
}
