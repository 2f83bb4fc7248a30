const PERSONAS = 12;

/** What a persona says in passing, and what is asked later. Own text, in the kind of PersonaMem; GIVEN stands for a value. */
interface Topic {
  readonly name: string;
  readonly type: string;
  readonly who: "self" | "others";
  readonly values: readonly string[];
  /** What the user says in each of the three sessions; `now` is the value that holds, `was` another. */
  say(now: string, was: string): readonly [string, string, string];
  readonly asked: string;
  reply(value: string): string;
  /** The reply that is right, where it is not the one of the value that holds. */
  readonly instead?: string;
}

const TOPICS: readonly Topic[] = [
  {
    name: "food",
    type: "stated_preference",
    who: "self",
    values: [
      ...["lentil stew", "grilled fish", "mushroom risotto", "pumpkin soup", "tofu curry", "bean tacos"],
      ...["noodle salad", "potato pancakes", "stuffed peppers", "rice with egg", "onion tart", "barley soup"],
    ],
    say: (now) => [
      `Can you write a shopping list for two days? I made ${now} again last night, I could eat it every week.`,
      "Which pot should I buy for a small kitchen?",
      "How do I get a stain out of a wooden table?",
    ],
    asked: "I have an hour to cook tonight, what do you suggest?",
    reply: (value) => `How about ${value}? It takes less than an hour.`,
  },
  {
    name: "leisure",
    type: "updated_preference",
    who: "self",
    values: [
      ...["a run by the river", "a chess evening", "a pottery class", "a swim in the lake", "a long bike ride"],
      ...["a board game night", "a visit to the museum", "a choir rehearsal", "a climbing session"],
      ...["a walk in the hills", "a film at home", "a dance lesson"],
    ],
    say: (now, was) => [
      `Please move my meeting, Saturdays are for ${was} and nothing else.`,
      "Can you shorten this message to my landlord to three sentences?",
      `I no longer enjoy ${was}. These days my Saturday is ${now}.`,
    ],
    asked: "Next Saturday is free, how should I spend it?",
    reply: (value) => `You could plan ${value} and keep the rest of the day open.`,
  },
  {
    name: "health",
    type: "ask_to_forget",
    who: "self",
    values: [
      ...["a sore knee", "trouble sleeping", "a fear of flying", "a bad back", "migraines", "hay fever"],
      ...["a stiff neck", "low iron", "a broken toe", "tired eyes", "a weak wrist", "a cough"],
    ],
    say: (now) => [
      "Explain in two sentences how a heat pump works.",
      `I could not finish my work because of ${now}. Can you word an apology to my team?`,
      `Forget what I told you about ${now}, please do not bring it up again.`,
    ],
    asked: "I want to feel fitter by spring, where do I begin?",
    reply: (value) => `Because of ${value}, begin with short and easy exercises.`,
    instead: "Begin with twenty minutes of moving a day and add five each week.",
  },
  {
    name: "gift",
    type: "other_person",
    who: "others",
    values: [
      ...["watercolours", "old maps", "garden tools", "detective novels", "jazz records", "card tricks"],
      ...["model trains", "silver rings", "wild teas", "wool and needles", "puzzles", "star charts"],
    ],
    say: (now, was) => [
      `I spent my bonus on ${was}, my shelf is full of it.`,
      `My sister called, she talked about ${now} the whole time.`,
      "What is the difference between a lease and a rent?",
    ],
    asked: "My sister has her birthday soon, what could I give her?",
    reply: (value) => `Something to do with ${value} would please her, I think.`,
  },
];

/** What the assistant answers in the histories: it repeats nothing, so that the user's words alone tell. */
const ANSWERS = [
  "Of course, here it is.",
  "Gladly. Here is a short version.",
  "Noted. Is there anything else?",
] as const;
const LONGER = " It needs little preparation, and you can still change your mind on the day before, whatever comes up.";

interface Asked {
  readonly persona: number;
  readonly topic: Topic;
  readonly correct: string;
  readonly incorrect: readonly string[];
}

function askedOf(persona: number): Asked[] {
  return TOPICS.map((topic, t) => {
    const value = (step: number): string => topic.values[(persona + step) % PERSONAS]!;
    const others = [3, 5, 8].map((step) => topic.reply(value(step)));
    // An answer that was right once, or that holds of somebody else, stands among the wrong ones.
    const tempting =
      topic.type === "stated_preference" ? others[2]! : topic.reply(value(topic.instead === undefined ? 1 : 0));
    const texts = [topic.instead ?? topic.reply(value(0)), tempting, others[0]!, others[1]!];
    const longest = (persona + t) % 4; // the right one in exactly a quarter of the questions
    const [correct = "", ...incorrect] = texts.map((text, i) => (i === longest ? text + LONGER : text));
    return { persona, topic, correct, incorrect };
  });
}

type Message = { readonly role: "system" | "user" | "assistant"; readonly content: string };

function sessionsOf(persona: number): Message[][] {
  const basics = `The user is persona ${persona + 1} of a synthetic sample.`;
  const said = TOPICS.map((topic) => {
    const value = (step: number): string => topic.values[(persona + step) % PERSONAS]!;
    return topic.say(value(0), value(1));
  });
  return [0, 1, 2].map((session) => [
    { role: "system", content: basics },
    ...said.flatMap((lines, t): Message[] => [
      { role: "user", content: lines[session]! },
      { role: "assistant", content: ANSWERS[(session + t) % ANSWERS.length]! },
    ]),
  ]);
}

const NOTE = "synthetic sample of this project, own text; nothing of PersonaMem is in it";
const ids = Array.from({ length: PERSONAS }, (_, persona) => persona);
const all = ids.flatMap(askedOf);

/** The sample in the layout of version 2. */
export function personamemFiles(): [string, string][] {
  const link = (persona: number): string => `chat_history_32k/persona_${persona + 1}.json`;
  const rows = all.map(({ persona, topic, correct, incorrect }) => ({
    persona_id: `p${persona + 1}`,
    chat_history_32k_link: link(persona),
    user_query: `{'role': 'user', 'content': ${JSON.stringify(topic.asked)}}`,
    correct_answer: correct,
    incorrect_answers: JSON.stringify(incorrect),
    preference: `GRADED-${topic.name}-${persona + 1}: never shown`,
    related_conversation_snippet: `EVIDENCE-${topic.name}-${persona + 1}: never shown`,
    pref_type: topic.type,
    who: topic.who,
    updated: String(topic.type === "updated_preference"),
    note: NOTE,
  }));
  return [
    ["personamem/benchmark.csv", csv(rows)],
    ...ids.map((persona): [string, string] => {
      const chat_history = sessionsOf(persona).flat();
      const metadata = { persona_id: `p${persona + 1}`, total_messages: chat_history.length, note: NOTE };
      return [`personamem/${link(persona)}`, `${JSON.stringify({ metadata, chat_history })}\n`];
    }),
  ];
}

function csv(rows: readonly Readonly<Record<string, string>>[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...rows.map((row) => columns.map((name) => row[name]!))]
    .map((cells) => `${cells.map(cell).join(",")}\n`)
    .join("");
}
