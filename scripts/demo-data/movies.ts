import { pick, writer } from "./grammar.js";
import type { DemoTask } from "./people.js";
import { type Theme, taste } from "./taste.js";

interface MovieTheme extends Theme {
  readonly words: Readonly<Record<"hero" | "goal" | "place" | "trouble" | "detail", readonly string[]>>;
}

export const lamp2m: DemoTask = {
  name: "lamp2m",
  official: "LaMP_2M",
  yearsOnly: false,
  person(habits) {
    const own = taste(habits, THEMES);
    return (random, moment) => {
      const theme = own.theme(random, moment);
      const tag = own.label(theme, random, moment);
      const description = describe(theme, tag, random);
      return { item: { tag, description }, input: `${INSTRUCTION} ${description}`, gold: tag, content: description };
    };
  },
};

const INSTRUCTION =
  "Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. tags: [sci-fi, based on a book, comedy, action, twist ending, dystopia, dark comedy, classic, psychology, fantasy, romance, thought-provoking, social commentary, violence, true story] description:";

/** How often the text gives the tag away, and how often it hints at another. */
const HINT = 0.4;
const FALSE_HINT = 0.15;

const FRAMES = [
  "{hero} sets out to {goal} in {place}. {trouble}. {detail}.",
  "In {place}, {hero} must {goal}, until {trouble}. {detail}.",
  "When {trouble}, {hero} has one night to {goal}. The road leads through {place}. {detail}.",
  "{detail}. Years later {hero} returns to {place} to {goal}, and {trouble}.",
  "Nobody in {place} believes that {hero} can {goal}. Then {trouble}. {detail}.",
  "{hero} and a reluctant ally try to {goal}. {detail}, and soon {trouble} in {place}.",
];

function describe(theme: MovieTheme, tag: string, random: Parameters<DemoTask["person"]>[0]): string {
  const write = writer(random, theme.words);
  const plot = write(pick(random, FRAMES));
  const draw = random.next();
  const hinted = draw < HINT ? tag : draw < HINT + FALSE_HINT ? pick(random, theme.labels) : undefined;
  const hint = hinted === undefined ? undefined : pick(random, HINTS[hinted] ?? []);
  return hint === undefined ? plot : `${plot} ${hint}`;
}

const HINTS: Readonly<Record<string, readonly string[]>> = {
  "sci-fi": ["Half sci-fi puzzle, half chase.", "Strange technology decides who gets home."],
  "based on a book": ["Adapted from a much loved book.", "The book behind it filled three volumes."],
  comedy: ["A warm comedy of errors follows.", "Every plan collapses into comedy and laughter."],
  action: ["The action hardly stops for breath.", "Chases, leaps and explosive action fill the second half."],
  "twist ending": ["The ending turns everything upside down.", "A late twist changes the meaning of the first scene."],
  dystopia: [
    "The regime watches every street of this bleak dystopia.",
    "Rations, curfews and loudspeakers rule the day.",
  ],
  "dark comedy": [
    "The jokes are dark and land at funerals.",
    "A dark, deadpan comedy about bad luck and worse people.",
  ],
  classic: ["Shot in black and white, it feels like a classic.", "A classic of the old studio days, restored."],
  psychology: ["The film studies a mind under pressure.", "Memory, guilt and psychology matter more than plot."],
  fantasy: ["Spells and talking animals make it pure fantasy.", "Magic, once lost, comes back through the mirror."],
  romance: ["A slow romance grows between two strangers.", "Love letters and one kiss at the station decide it."],
  "thought-provoking": [
    "It leaves hard questions unanswered and the thought lingers.",
    "A quiet, thought-provoking look at what we owe each other.",
  ],
  "social commentary": [
    "Behind it stands a sharp commentary on rich and poor.",
    "Its portrait of social class and work is merciless.",
  ],
  violence: ["The violence is sudden and hard to watch.", "Blood is spilled in a brutal last act."],
  "true story": ["It is drawn from a true story.", "The true events made headlines at the time."],
};

const THEMES: readonly MovieTheme[] = [
  {
    name: "heist",
    labels: ["action", "comedy", "twist ending", "true story"],
    words: {
      hero: ["a retired safecracker", "a nervous getaway driver", "a forger with a debt", "a bank clerk turned thief"],
      goal: [
        "empty the vault of a private bank",
        "steal a diamond from a moving train",
        "swap a painting before the auction",
        "rob the casino that ruined the family",
      ],
      place: ["the harbour vaults", "a casino hotel", "the old stock exchange", "a museum closed for repairs"],
      trouble: [
        "one of the crew sells the plan",
        "the alarm code changes at midnight",
        "the guard turns out to be an old partner",
        "the loot is already gone",
      ],
      detail: [
        "The crew rehearses the robbery in a warehouse",
        "A safe, a stopwatch and two drills are all they have",
        "Detectives follow the stolen banknotes",
      ],
    },
  },
  {
    name: "space",
    labels: ["sci-fi", "thought-provoking", "dystopia", "psychology"],
    words: {
      hero: [
        "the last pilot of a mining ship",
        "a botanist on a silent station",
        "an astronaut woken too early",
        "a young navigator",
      ],
      goal: [
        "repair the reactor before the orbit decays",
        "bring the colony's seeds to a new planet",
        "answer a signal from beyond the comet belt",
        "find out why the crew stopped sleeping",
      ],
      place: [
        "an orbital station above a dead moon",
        "the corridors of a colony ship",
        "a crater base on a frozen planet",
        "the dark side of an asteroid",
      ],
      trouble: [
        "the ship's computer locks the airlocks",
        "oxygen runs low and the captain lies about it",
        "a second crew claims the same planet",
        "the distress signal proves to be their own",
      ],
      detail: [
        "Earth answers with a delay of nine minutes",
        "Stars and radio static are the only company",
        "Frost grows over the telescope's lens",
      ],
    },
  },
  {
    name: "village",
    labels: ["comedy", "romance", "social commentary", "dark comedy"],
    words: {
      hero: ["the new postmistress", "a widowed baker", "a city doctor in exile", "the mayor's stubborn daughter"],
      goal: [
        "save the village fair",
        "open a bakery against everyone's advice",
        "stop the motorway through the orchards",
        "win the pumpkin contest for once",
      ],
      place: [
        "a mountain village with one bus a day",
        "a market square full of gossip",
        "a valley of orchards and goats",
        "a parish hall with a leaking roof",
      ],
      trouble: [
        "the neighbours split into two camps over a fence",
        "the goats get loose during the wedding",
        "a developer buys the orchard",
        "an anonymous letter goes round the bakery",
      ],
      detail: [
        "The church bell rings at the wrong hours",
        "Every neighbour has a key to every kitchen",
        "The bus driver knows more than the priest",
      ],
    },
  },
  {
    name: "court",
    labels: ["social commentary", "true story", "thought-provoking", "twist ending"],
    words: {
      hero: [
        "a court-appointed lawyer",
        "a juror with doubts",
        "a prosecutor near retirement",
        "a young clerk of the court",
      ],
      goal: [
        "reopen the trial of a night watchman",
        "keep an innocent man from prison",
        "prove that the chemical plant lied",
        "find the witness whom everyone forgot",
      ],
      place: [
        "a courtroom without windows",
        "the county jail",
        "a law office above a laundry",
        "the archive of the tribunal",
      ],
      trouble: [
        "the key witness withdraws the testimony",
        "the judge turns out to own shares in the plant",
        "the jury cannot agree",
        "a file disappears from the evidence room",
      ],
      detail: [
        "The verdict divides the town",
        "Cross-examination lasts four days",
        "A single fingerprint holds up the appeal",
      ],
    },
  },
  {
    name: "war",
    labels: ["violence", "true story", "classic", "psychology"],
    words: {
      hero: [
        "a field medic",
        "a sergeant with a broken radio",
        "a nurse behind the front",
        "a deserter in a borrowed uniform",
      ],
      goal: [
        "bring twelve wounded soldiers across the river",
        "hold the bridge until dawn",
        "carry a message through the trenches",
        "hide a family from the patrols",
      ],
      place: [
        "a shelled monastery",
        "the trenches before winter",
        "a bombed railway town",
        "the hospital tents at the front",
      ],
      trouble: [
        "the bridge is mined by their own side",
        "the regiment retreats without them",
        "an order arrives that no soldier wants to obey",
        "the enemy officer recognizes the nurse",
      ],
      detail: [
        "Artillery sounds through the fog",
        "The soldiers share one pair of boots",
        "Letters from home arrive after the battle",
      ],
    },
  },
  {
    name: "school",
    labels: ["comedy", "romance", "based on a book", "psychology"],
    words: {
      hero: [
        "a shy exchange student",
        "the strictest teacher of the school",
        "a girl who forges report cards",
        "the captain of the debating club",
      ],
      goal: [
        "survive the final term at the boarding school",
        "rescue the school theatre",
        "pass the entrance exam for a friend",
        "find out who writes the poems on the blackboard",
      ],
      place: [
        "a boarding school by the lake",
        "the classroom in the attic",
        "a dormitory with strict curfew",
        "the library during exam week",
      ],
      trouble: [
        "the headmaster cancels the school play",
        "the forged exam wins a prize",
        "two best friends fall for the same pupil",
        "a diary is read aloud at assembly",
      ],
      detail: [
        "Homework piles up beside the stage costumes",
        "The pupils pass notes under the desks",
        "Exams begin on Monday",
      ],
    },
  },
  {
    name: "sea",
    labels: ["classic", "based on a book", "action", "fantasy"],
    words: {
      hero: ["a lighthouse keeper", "the cabin boy of a whaler", "a captain without a crew", "a smuggler's widow"],
      goal: [
        "sail around the cape before the storms",
        "raise a wreck from the reef",
        "deliver a sealed chest to the island",
        "follow a white whale north",
      ],
      place: [
        "a harbour town at the edge of the ice",
        "the deck of a leaking schooner",
        "a lighthouse cut off by the tide",
        "an island missing from the charts",
      ],
      trouble: [
        "the crew threatens mutiny",
        "the compass stops pointing north",
        "a storm tears the mast down",
        "the island moves overnight",
      ],
      detail: ["Sailors sing below the deck", "Salt and tar cover the maps", "The tide takes the rowing boat"],
    },
  },
  {
    name: "band",
    labels: ["romance", "true story", "dark comedy", "comedy"],
    words: {
      hero: ["a drummer with one good ear", "a wedding singer", "a conductor on her last tour", "a street violinist"],
      goal: [
        "finish the album before the label closes",
        "reunite the band for one concert",
        "win back the stolen violin",
        "play the great hall once",
      ],
      place: [
        "a cellar club",
        "the tour bus between two festivals",
        "a recording studio in a barn",
        "the opera house of a small town",
      ],
      trouble: [
        "the singer leaves on the morning of the concert",
        "the guitarist sells the songs",
        "the piano is delivered to the wrong city",
        "the manager bets the tour money",
      ],
      detail: [
        "The chorus is still missing its last line",
        "The audience throws flowers and shoes",
        "A melody from childhood keeps returning",
      ],
    },
  },
  {
    name: "machine",
    labels: ["sci-fi", "dystopia", "thought-provoking", "twist ending"],
    words: {
      hero: [
        "a repairwoman of household robots",
        "a programmer in hiding",
        "an android with borrowed memories",
        "a factory inspector",
      ],
      goal: [
        "switch off the program that assigns all jobs",
        "teach a robot to lie",
        "delete a stolen memory",
        "smuggle an android out of the city",
      ],
      place: [
        "a city run by algorithms",
        "the server halls under the desert",
        "an assembly line without people",
        "a clinic for broken machines",
      ],
      trouble: [
        "the robot refuses the update",
        "the algorithm predicts a crime by its maker",
        "every screen in the city shows her face",
        "the android finds its own blueprint",
      ],
      detail: [
        "Drones deliver the daily permissions",
        "The circuits hum like bees",
        "Each citizen wears a numbered chip",
      ],
    },
  },
  {
    name: "house",
    labels: ["psychology", "violence", "twist ending", "fantasy"],
    words: {
      hero: [
        "a governess with insomnia",
        "an heir who hates antiques",
        "a sleepwalking child",
        "a medium who fakes her gift",
      ],
      goal: [
        "sell the mansion before the anniversary",
        "spend a week in the locked wing",
        "find the source of the knocking",
        "look after twins who speak to the wall",
      ],
      place: [
        "a mansion on the moor",
        "the attic of a boarded house",
        "a cellar without a door",
        "a hotel closed for the winter",
      ],
      trouble: [
        "the portraits change their faces",
        "the housekeeper proves to be long dead",
        "a second set of footprints appears in the dust",
        "the doors lock from the outside",
      ],
      detail: [
        "Candles go out one after the other",
        "The clock in the hall runs backwards",
        "Something scratches behind the wallpaper",
      ],
    },
  },
  {
    name: "sport",
    labels: ["true story", "action", "social commentary", "classic"],
    words: {
      hero: [
        "an ageing boxer",
        "the goalkeeper of a miners' club",
        "a runner without shoes",
        "a coach banned for life",
      ],
      goal: [
        "win the title fight against the champion",
        "take the club to the cup final",
        "run the mountain marathon",
        "train a team of dock workers",
      ],
      place: [
        "a boxing hall by the docks",
        "a stadium in the rain",
        "a training camp above the clouds",
        "a muddy pitch behind the mine",
      ],
      trouble: [
        "the champion's people offer money to lose",
        "the referee is bribed",
        "an old injury returns in the third round",
        "the mine closes before the final match",
      ],
      detail: ["The crowd sings the team's name", "Training starts before sunrise", "The scoreboard stays dark"],
    },
  },
  {
    name: "kingdom",
    labels: ["fantasy", "based on a book", "violence", "romance"],
    words: {
      hero: [
        "an exiled princess",
        "a swordsmith's apprentice",
        "a knight who fears horses",
        "a witch with a price on her head",
      ],
      goal: [
        "return the crown to the mountain throne",
        "forge a blade against the dragon",
        "break the curse on the royal line",
        "cross the enchanted forest before the coronation",
      ],
      place: [
        "a kingdom of seven towers",
        "the enchanted forest",
        "a castle under siege",
        "the caves of the last dragon",
      ],
      trouble: [
        "the king's brother opens the gates",
        "the dragon asks for a bargain",
        "the curse jumps to the one who loves her",
        "the sword breaks at the coronation",
      ],
      detail: ["Ravens carry the queen's letters", "Knights swear oaths by torchlight", "The prophecy names two heirs"],
    },
  },
];
