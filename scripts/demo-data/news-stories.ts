import type { Random } from "../../src/types.js";
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

export const NEWS_THEMES: readonly NewsTheme[] = [
  {
    name: "clinic",
    labels: ["healthy living", "politics", "science & technology", "women"],
    words: {
      who: ["the county clinic", "a team of night nurses", "the health board", "a retired surgeon"],
      did: [
        "opened a free sleep ward",
        "cut the waiting list in half",
        "asked for a vote on the vaccine budget",
        "began to treat patients by video",
      ],
      topic: ["sleep and stress", "the vaccine budget", "patient records", "maternity care"],
      place: ["Harrow Valley", "the hospital quarter", "Port Ellery", "the old infirmary"],
      fact: [
        "Nine in ten patients now see a doctor within a week",
        "The ward has twelve beds and no television",
        "Nurses work shorter shifts than a year ago",
        "Blood pressure fell in every group of the trial",
      ],
      voice: [
        "I slept through the night for the first time in years",
        "Nobody asked the nurses before",
        "The doctor listened to me",
      ],
    },
  },
  {
    name: "kitchen",
    labels: ["food & drink", "travel", "business", "culture & arts"],
    words: {
      who: ["a family bakery", "the chef of a ferry kitchen", "a village of cheese makers", "the last coffee roaster"],
      did: [
        "put a forgotten soup back on the menu",
        "sold out of rye bread before noon",
        "opened a tasting room in a barn",
        "raised the price of espresso",
      ],
      topic: ["sourdough and patience", "the price of olive oil", "a soup of wild herbs", "coffee without sugar"],
      place: ["the fish market", "Orchard Lane", "the island of Sele", "a valley of vineyards"],
      fact: [
        "The recipe needs three days and a heavy pot",
        "Guests wait an hour for a plate of dumplings",
        "The cellar holds four hundred wheels of cheese",
        "The menu changes with the tide",
      ],
      voice: [
        "You can taste the smoke in the butter",
        "My grandmother made it with less salt",
        "We came for lunch and stayed for dinner",
      ],
    },
  },
  {
    name: "stadium",
    labels: ["sports", "business", "politics", "crime"],
    words: {
      who: [
        "the Northgate Rovers",
        "a team of amateur rowers",
        "the league's referees",
        "an eighteen year old striker",
      ],
      did: [
        "refused to play on the new turf",
        "won the cup after extra time",
        "signed with a rival club",
        "walked off before the final whistle",
      ],
      topic: ["the transfer fee", "a disputed penalty", "the new stadium", "match fixing"],
      place: ["Northgate stadium", "the rowing lake", "the away dressing room", "the fan corner behind the goal"],
      fact: [
        "Attendance rose to thirty thousand",
        "The fee is said to be a club record",
        "Three players were booked in ten minutes",
        "The league will review the match on Monday",
      ],
      voice: ["We sang until the lights went out", "That was never a penalty", "A club is not a company"],
    },
  },
  {
    name: "school",
    labels: ["education", "parents", "politics", "religion"],
    words: {
      who: ["the school district", "a group of parents", "the pupils of grade nine", "a teacher of thirty years"],
      did: [
        "banned phones from every classroom",
        "started a reading club at dawn",
        "voted to end homework on Fridays",
        "painted over the old timetable",
      ],
      topic: ["homework and sleep", "the new curriculum", "phones in class", "a school without grades"],
      place: [
        "Maple Street School",
        "the district hall",
        "a classroom under the roof",
        "the playground behind the chapel",
      ],
      fact: [
        "Reading scores rose by a tenth in one term",
        "Two hundred families signed the letter",
        "The library now stays open on Saturdays",
        "Lessons start an hour later than before",
      ],
      voice: [
        "My son talks at breakfast again",
        "Children learn when nobody rushes them",
        "The teachers deserve a quiet room",
      ],
    },
  },
  {
    name: "startup",
    labels: ["business", "science & technology", "women", "education"],
    words: {
      who: [
        "a founder of twenty-six",
        "the battery start-up Lumen",
        "two engineers from the shipyard",
        "an app for night workers",
      ],
      did: [
        "raised nine million in a week",
        "closed the office and kept the staff",
        "released the code of its robot",
        "turned down an offer from a giant",
      ],
      topic: ["cheap batteries", "the four day week", "software for farmers", "an honest algorithm"],
      place: ["the docklands", "a former printing plant", "the innovation park", "a garage near the airport"],
      fact: [
        "Sales doubled while the staff stayed the same",
        "The prototype runs for forty hours on one charge",
        "Half of the engineers are women",
        "Investors were given one hour to decide",
      ],
      voice: [
        "We wrote the first version on a train",
        "Nobody needs another meeting",
        "The market was waiting for this",
      ],
    },
  },
  {
    name: "theatre",
    labels: ["culture & arts", "entertainment", "religion", "women"],
    words: {
      who: ["the city ballet", "a choir of street cleaners", "the curator Ines Vall", "an unknown painter"],
      did: [
        "staged an opera in a car park",
        "gave every portrait a new name",
        "sold the costumes to pay the orchestra",
        "opened the exhibition at midnight",
      ],
      topic: ["art without tickets", "the missing portraits", "a dance about silence", "sacred music in a factory"],
      place: ["the gallery on the canal", "the royal theatre", "an abandoned chapel", "the sculpture garden"],
      fact: [
        "The premiere lasted six hours",
        "Visitors may touch every sculpture",
        "The paintings had been in a cellar since the flood",
        "The orchestra played without a conductor",
      ],
      voice: ["I have never heard a hall so quiet", "Art should smell of paint", "We cried and did not know why"],
    },
  },
  {
    name: "television",
    labels: ["entertainment", "style & beauty", "crime", "women"],
    words: {
      who: [
        "the star of a hospital drama",
        "a talk show host",
        "the cast of a cooking show",
        "a pop duo from the suburbs",
      ],
      did: [
        "left the series in the middle of a season",
        "wore the same coat to every premiere",
        "sued a tabloid over a photograph",
        "announced a farewell tour again",
      ],
      topic: ["the final episode", "a red carpet without a carpet", "the leaked script", "a very public breakup"],
      place: ["the film festival", "studio seven", "the awards night", "a hotel by the boulevard"],
      fact: [
        "Four million people watched the finale",
        "The trailer was seen a million times in a day",
        "Fans waited in the rain for an autograph",
        "The album tops the charts for the fifth week",
      ],
      voice: [
        "I screamed at the screen",
        "She looked better than in the film",
        "They should have stopped two seasons ago",
      ],
    },
  },
  {
    name: "journey",
    labels: ["travel", "style & beauty", "healthy living", "food & drink"],
    words: {
      who: [
        "a night train",
        "two cyclists in their seventies",
        "the smallest hotel of the coast",
        "a guide without a map",
      ],
      did: [
        "brought the border villages back to life",
        "crossed the high pass in four days",
        "offered rooms without clocks",
        "took visitors across the salt flats on foot",
      ],
      topic: ["slow travel", "an island without cars", "packing light", "hot springs in winter"],
      place: ["the coast of Merrin", "the salt flats", "a monastery guesthouse", "the blue lagoon road"],
      fact: [
        "A ticket costs less than a tank of fuel",
        "The trail has nine huts and one bath",
        "Guests leave their phones at the desk",
        "The best season is the month after the storms",
      ],
      voice: ["The sea was as warm as tea", "We forgot which day it was", "I would walk it again tomorrow"],
    },
  },
  {
    name: "police",
    labels: ["crime", "politics", "parents", "business"],
    words: {
      who: ["the harbour police", "a gang of wine thieves", "a former accountant", "the state prosecutor"],
      did: [
        "found a truck full of stolen bicycles",
        "pleaded guilty to forging invoices",
        "released a suspect for lack of evidence",
        "searched nine offices at dawn",
      ],
      topic: ["the forged invoices", "a burglary without a trace", "fraud in the town hall", "the missing witness"],
      place: ["the harbour district", "a suburb of Kell", "the district court", "a warehouse near the bridge"],
      fact: [
        "The damage is put at two million",
        "Four suspects are in custody",
        "Neighbours heard glass break at three",
        "The hearing was moved behind closed doors",
      ],
      voice: [
        "They took the wine and left the glasses",
        "I did not think it could happen here",
        "The police came within minutes",
      ],
    },
  },
  {
    name: "family",
    labels: ["parents", "women", "healthy living", "religion"],
    words: {
      who: [
        "a father of triplets",
        "the midwives of the old town",
        "a circle of grandmothers",
        "a mother on night shift",
      ],
      did: [
        "wrote down every bedtime excuse",
        "opened a kindergarten in a fire station",
        "started a nap strike",
        "asked the town for a longer parental leave",
      ],
      topic: ["bedtime without tears", "sharing the housework", "a birth at home", "screens at the dinner table"],
      place: ["a flat on the sixth floor", "the family centre", "the maternity ward", "the playground on Mill Street"],
      fact: [
        "Two in three parents sleep less than six hours",
        "The group meets on the first Sunday",
        "Fathers take every second sick day",
        "The list hangs on forty refrigerators",
      ],
      voice: [
        "Nobody tells you about the laundry",
        "My daughter negotiates like a lawyer",
        "We laughed because we were so tired",
      ],
    },
  },
  {
    name: "faith",
    labels: ["religion", "politics", "culture & arts", "education"],
    words: {
      who: ["the bishop of Arden", "a rabbi and an imam", "a monastery of eight nuns", "the pilgrims' council"],
      did: [
        "opened the cathedral to the homeless",
        "wrote a prayer for the drought",
        "sold the bells to repair the roof",
        "called for silence on election day",
      ],
      topic: ["prayer in public", "a shared cemetery", "the empty pews", "faith and doubt"],
      place: ["the cathedral square", "a convent in the hills", "the meeting house", "the pilgrims' road"],
      fact: [
        "Two hundred people came to the evening prayer",
        "The library of the convent holds nine thousand books",
        "Candles were handed out at the door",
        "The service was held in three languages",
      ],
      voice: ["I am not a believer, but I stayed", "The bells will be missed", "We prayed and then we cooked"],
    },
  },
  {
    name: "wardrobe",
    labels: ["style & beauty", "women", "entertainment", "culture & arts"],
    words: {
      who: [
        "a tailor of the theatre",
        "the designer Oda Lin",
        "a barber on wheels",
        "the buyers of a department store",
      ],
      did: [
        "showed a collection made of sails",
        "gave up black for a year",
        "cut hair for job interviews for free",
        "brought back the pleated skirt",
      ],
      topic: ["one coat for all seasons", "natural dyes", "grey hair", "shoes that last"],
      place: ["the fashion week", "a studio above the market", "the shopping arcade", "a tent by the runway"],
      fact: [
        "The coat has eleven pockets",
        "The dye is made of walnut shells",
        "Every model was over fifty",
        "The show used no electric light",
      ],
      voice: ["I feel taller in it", "Fashion should forgive", "My mother wore the same one"],
    },
  },
];
