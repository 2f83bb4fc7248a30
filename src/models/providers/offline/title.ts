import { countsOf } from "../../../text/count.js";
import { trimSigns } from "../../../text/scan.js";
import type { Evidence } from "./evidence.js";
import { softmax } from "./likeness.js";
import { stem, termCounts, terms, words } from "./words.js";

/** Returns candidate titles cut out of the text and shaped like the shown titles, with how likely each is. */
export function entitle(query: string, evidence: Evidence): Map<string, number> {
  const titles = evidence.examples.map(({ label }) => label);
  const lengths = titles.reduce((sum, text) => sum + words(text).length, 0);
  const length = titles.length === 0 ? USUAL_WORDS : Math.max(4, Math.round(lengths / titles.length));
  const score = scorer(query, titles);
  const best = sentenceWindows(query, length)
    .map((window) => ({ window, score: score(window) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, CANDIDATES);
  const shape = casing(titles);
  const scores = new Map(best.map(({ window, score: value }) => [shape(window.text), value]));
  if (scores.size === 0) return new Map([[shape(query.trim()) || "Untitled", 1]]);
  return softmax([...scores.keys()], (text) => SHARPNESS * scores.get(text)!);
}

interface Window {
  readonly text: string;
  /** Position of its first word in the text, 0..1. */
  readonly start: number;
  readonly words: number;
  readonly afterCue: boolean;
}

/** Words of a title where none is shown. */
const USUAL_WORDS = 10;
const CANDIDATES = 5;
const SHARPNESS = 6;
/** Weight of words of shown titles, bonus behind words such as "we propose", loss over the length of the text. */
const TITLE_WORD = 0.6;
const CUE = 0.25;
const LATE = 0.25;
/** Loss for beginning or ending on a function word. */
const LOOSE_START = 0.1;
const LOOSE_END = 0.3;

/** Words read of a text: what it is about stands early. */
const readWords = 400;

/** Words in front of a window in which a cue may stand. */
const cueWords = 10;

/** Words that announce what a text is about; a title often follows. */
const cue =
  /(?:\b(?:we|paper|article|study|work)\s+(?:\w+\s+)?(?:present|presents|propose|proposes|introduce|introduces|study|studies|consider|considers|investigate|investigates|describe|describes|develop|address|show|examine|explore|discuss|discusses)s?\s+(?:that\s+|the problem of\s+|an?\s+|the\s+)?(?:novel\s+|new\s+)?)$/i;

function sentenceWindows(query: string, length: number): Window[] {
  const opening = query.split(/\s+/).slice(0, readWords);
  const total = opening.length;
  let before = 0;
  return opening
    .join(" ")
    .split(/(?<=[.!?])\s+/)
    .flatMap((sentence) => {
      const parts = sentence.split(/\s+/).filter(Boolean);
      const size = Math.min(length, parts.length);
      const windows = Array.from({ length: parts.length - size + 1 }, (_, at) => ({
        text: trimSigns(parts.slice(at, at + size).join(" "), "\"'“(", " .,;:\"'”)"),
        start: (before + at) / total,
        words: size,
        afterCue: cue.test(`${parts.slice(Math.max(0, at - cueWords), at).join(" ")} `),
      }));
      before += parts.length;
      return windows;
    });
}

/** Dense in the text's frequent words and in the words of shown titles, early, on clean word borders. */
function scorer(query: string, titles: readonly string[]): (window: Window) => number {
  const inText = termCounts(query);
  const inTitles = countsOf(titles.flatMap((text) => [...new Set(terms(text))]));
  return ({ text, start, words: length, afterCue }) => {
    let density = 0;
    for (const term of new Set(terms(text)))
      density += Math.log(1 + (inText.get(term) ?? 0)) + TITLE_WORD * Math.log(1 + (inTitles.get(term) ?? 0));
    const parts = words(text);
    const isLoose = (word: string | undefined): boolean => word !== undefined && loose.has(stem(word));
    const border = (isLoose(parts[0]) ? LOOSE_START : 0) + (isLoose(parts.at(-1)) ? LOOSE_END : 0);
    return density / Math.max(4, length) + (afterCue ? CUE : 0) - LATE * start - border;
  };
}

const FUNCTION_WORDS =
  "a an the of to in on for and or with by from that which is are was were be we this it as at not has have can if than";
const loose = new Set(FUNCTION_WORDS.split(" "));

/** Title Case where most shown titles have it, else the text's own case with a capital first letter. */
function casing(titles: readonly string[]): (text: string) => string {
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const capitals = titles.filter((text) => {
    const parts = text.split(/\s+/).filter((part) => part.length > 3);
    return parts.length > 0 && parts.filter((part) => /^[^a-z]/.test(part)).length / parts.length > 0.7;
  });
  if (titles.length > 0 && capitals.length * 2 > titles.length) return (text) => text.split(" ").map(capital).join(" ");
  return capital;
}
