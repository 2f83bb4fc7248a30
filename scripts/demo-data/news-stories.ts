import type { Random } from "../../src/types/index.js";
import { fromYaml } from "./from-yaml.js";
import { pick, writer } from "./grammar.js";
import type { Theme } from "./taste.js";

/** What a made-up article is about; the labels are the sections in which it could stand. */
export interface NewsTheme extends Theme {
  readonly words: Readonly<Record<"who" | "did" | "topic" | "place" | "fact" | "voice", readonly string[]>>;
}

/** One article: its text, and the parts a headline can be made of. */
export interface Story {
  readonly text: string;
  readonly who: string;
  readonly did: string;
  readonly topic: string;
  readonly place: string;
}

const FRAMES = [
  '{who} {did} in {place} this week. {fact}. "{voice}," one resident said.',
  '"{voice}," said a visitor to {place}. {fact}, and {who} {did}.',
  "{fact}. In {place}, {who} {did}, and the talk is of {topic}.",
  "It started with {topic}. By the end of the month {who} {did}. {fact}, according to people in {place}.",
  "{place} has seen a lot, but never this: {who} {did}. {fact}.",
];

export function story(theme: NewsTheme, random: Random): Story {
  const write = writer(random, theme.words);
  const text = write(pick(random, FRAMES));
  const part = (slot: string): string => write(`, {${slot}}`).slice(2);
  return { text, who: part("who"), did: part("did"), topic: part("topic"), place: part("place") };
}

export const NEWS_THEMES: readonly NewsTheme[] = fromYaml("news.yaml");
