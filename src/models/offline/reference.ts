import { between } from "../../text/scan.js";
import type { Asked } from "./asked.js";
import { profileOf, rarity, wordLikeness } from "./likeness.js";
import { softmax } from "./softmax.js";
import { reference as weights } from "./weights.js";

/** Which of the listed papers the author cites: the one closer to the author's own words, in the question and beside it. */
export function refer(asked: Asked, shown: string): Map<string, number> {
  const papers = [...asked.inserted, ...shown.split("\n").map(chosenOnly)].filter((text) => text.trim() !== "");
  const title = profileOf(asked.query);
  const known = papers.map(profileOf);
  const options = asked.optionTexts.map(profileOf);
  const weigh = rarity([title, ...known, ...options]);
  return softmax(asked.options, (option) => {
    const profile = options[asked.options.indexOf(option)] ?? title;
    const likeness = known.map((paper) => wordLikeness(profile, paper, weigh));
    const nearest = Math.max(0, ...likeness);
    const usual = likeness.reduce((sum, value) => sum + value, 0) / Math.max(1, likeness.length);
    const sameTopic = wordLikeness(profile, title, weigh);
    return weights.sharpness * (sameTopic + weights.nearest * nearest + weights.usual * usual);
  });
}

/** Of a past question, only the paper that was cited speaks for the author: `... options: [1] "A" [2] "B" | reference: [1]`. */
function chosenOnly(line: string): string {
  const past = between(line, [/\[1\]:?\s*"/g, /"\s*\[2\]:?\s*"/g, /".{0,40}?\[[12]\]/g]);
  if (past === undefined) return line;
  return `${line.slice(0, past.start)} ${past.parts[line[past.end - 2] === "1" ? 0 : 1]}`;
}
