import { words } from "../words.js";

/** Own list of words that praise or blame, strongest first. */
const scale: readonly (readonly [number, string])[] = [
  [
    2,
    `amazing awesome excellent outstanding fantastic perfect perfectly brilliant superb wonderful wonderfully incredible
    masterpiece phenomenal loved love loves favorite best terrific exceptional flawless stunning spectacular captivating
    captivated gripping hooked unputdownable magnificent delightful marvelous beautifully gem must-read must-have`,
  ],
  [
    1,
    `good great nice enjoyed enjoy enjoyable fun funny happy pleased recommend recommended recommending works worked well
    solid easy easily useful helpful interesting entertaining beautiful lovely sweet comfortable durable quality fresh
    sturdy glad impressed impressive satisfied fast smooth clear clever charming engaging exciting intriguing heartwarming
    worth favorite pleasant pleasantly fine cute reliable strong treat hilarious highly better talented looking-forward`,
  ],
  [
    -0.6,
    `okay ok but however although though unfortunately slow slowly predictable average mediocre somewhat bit little
    wish wished lacking lacks lacked short long decent flat issue issues complaint only expected hoped confusing confused
    except missing rushed repetitive forced weak dated`,
  ],
  [
    -1.5,
    `bad poor poorly disappointed disappointing disappointment disappoint boring bored annoying annoyed cheap broke broken
    breaks problem problems difficult hard waste wasted dull fails failed failure returned return flimsy useless skip
    uncomfortable defective stopped dislike disliked silly stupid ridiculous unrealistic uninteresting tedious leaks
    frustrating frustrated overpriced mess unfinished refund sorry wrong trouble`,
  ],
  [
    -2.5,
    `terrible horrible awful worst hate hated hates garbage junk trash crap pathetic dreadful disgusting unreadable
    unwatchable unusable worthless atrocious abysmal rubbish scam ripoff avoid lousy`,
  ],
];

const valence = new Map<string, number>();
for (const [value, list] of scale)
  for (const word of list.split(/\s+/)) if (!valence.has(word)) valence.set(word, value);

const negations = new Set(
  `not no never hardly without don't didn't doesn't isn't wasn't won't can't couldn't wouldn't`.split(" "),
);

/** Mean leaning of a text, in -1 (blame) .. 1 (praise); 0 where no word leans. Negated praise is mild blame. */
export function sentiment(text: string): number {
  let sum = 0;
  let found = 0;
  let sinceNegation = 9;
  for (const word of words(text)) {
    sinceNegation = negations.has(word) ? 0 : sinceNegation + 1;
    const value = valence.get(word);
    if (value === undefined) continue;
    sum += sinceNegation > 0 && sinceNegation <= 3 ? -0.6 * value : value;
    found++;
  }
  return found === 0 ? 0 : Math.tanh(sum / Math.sqrt(found + 2));
}
