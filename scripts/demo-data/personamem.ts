import { fromYaml } from "./from-yaml.js";

const PERSONAS = 12;

/** What a persona says in passing, and what is asked later. Own text, in the kind of PersonaMem. */
interface Topic {
  readonly name: string;
  readonly type: string;
  readonly who: "self" | "others";
  readonly values: readonly string[];
  /** What the user says in each of the three sessions; {now} is the value that holds, {was} another. */
  readonly says: readonly string[];
  readonly asked: string;
  /** What fits {value}. */
  readonly reply: string;
  /** The reply that is right, where it is not the one of the value that holds. */
  readonly instead?: string;
}

const TOPICS: readonly Topic[] = fromYaml("personamem.yaml");

/** What the assistant answers in the histories: it repeats nothing, so that the user's words alone tell. */
const ANSWERS = [
  "Of course, here it is.",
  "Gladly. Here is a short version.",
  "Noted. Is there anything else?",
] as const;
const LONGER = " It needs little preparation, and you can still change your mind on the day before, whatever comes up.";

const replyOf = ({ reply }: Topic, value: string): string => reply.replaceAll("{value}", value);

interface Asked {
  readonly persona: number;
  readonly topic: Topic;
  readonly correct: string;
  readonly incorrect: readonly string[];
}

function askedOf(persona: number): Asked[] {
  return TOPICS.map((topic, t) => {
    const value = (step: number): string => topic.values[(persona + step) % PERSONAS]!;
    const others = [3, 5, 8].map((step) => replyOf(topic, value(step)));
    // An answer that was right once, or that holds of somebody else, stands among the wrong ones.
    const tempting =
      topic.type === "stated_preference" ? others[2]! : replyOf(topic, value(topic.instead === undefined ? 1 : 0));
    const texts = [topic.instead ?? replyOf(topic, value(0)), tempting, others[0]!, others[1]!];
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
    return topic.says.map((line) => line.replaceAll("{now}", value(0)).replaceAll("{was}", value(1)));
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
