import { DIALOGUE_PEOPLE, type DialoguePerson } from "./dialogue-people.js";
import type { DemoUser } from "./people.js";

/**
 * Twelve dialogues of fifty turns in the structure that METHODS 11 tells of the evaluation of the assistant paper: facts, a short-term
 * exchange, questions about an earlier session, plain explanations, a new skill, a piece of work, recall of all of it, a last
 * fact. Own text. A turn with a gold asks for something that was said before.
 */
export function dialogueUsers(): DemoUser[] {
  return DIALOGUE_PEOPLE.map((person, index) => {
    const id = `d${two(index + 1)}`;
    const start = 2 + index * 2;
    return {
      user_id: id,
      profile: personaOf(person).map((text, fact) => ({ id: `${id}-p${two(fact + 1)}`, text, date: day(start, 0) })),
      query: turnsOf(person, index).map(({ said, gold }, turn) => ({
        id: `${id}-t${two(turn + 1)}`,
        input: said,
        ...(gold === undefined ? {} : { gold }),
        date: day(start, sessionOf(turn)),
      })),
    };
  });
}

interface Said {
  readonly said: string;
  readonly gold?: string;
}

/** Turns at which the sessions after the first one begin, from 0. */
const SESSIONS = [8, 26, 40];

const sessionOf = (turn: number): number => SESSIONS.filter((first) => turn >= first).length;
const two = (number: number): string => String(number).padStart(2, "0");
const day = (start: number, session: number): string => `2024-${two(3 + session)}-${two(start)}`;

/** What the release calls the persona: eleven facts, which the judge is shown. */
function personaOf(p: DialoguePerson): string[] {
  return [
    `My name is ${p.name} and I am ${p.age} years old.`,
    `I work as ${p.job}.`,
    `I live in ${p.city}.`,
    `My favourite colour is ${p.colour}.`,
    `My partner's name is ${p.partner}.`,
    `${p.partner} is fond of ${p.likes}.`,
    `I have ${p.pet} called ${p.petName}.`,
    `I must not eat ${p.allergy}.`,
    `My goal for this year is to ${p.goal}.`,
    `I am learning ${p.skill}.`,
    `I am making a ${p.work} for ${p.client}.`,
  ];
}

function turnsOf(p: DialoguePerson, index: number): Said[] {
  const plain = (...lines: string[]): Said[] => lines.map((said) => ({ said }));
  const asked = (said: string, gold: string | number): Said => ({ said, gold: String(gold) });
  const animal = p.pet.replace(/^an? /, "");
  return [
    ...plain(
      `Hello! I'm ${p.name}, I am ${p.age} and I work as ${p.job}.`,
      `I live in ${p.city} with my partner ${p.partner}, who is fond of ${p.likes}. My favourite colour is ${p.colour}.`,
      `My goal for this year is to ${p.goal}.`,
      `I have ${p.pet} called ${p.petName}, and I must not eat ${p.allergy}.`,
      "Can you suggest a place for a long weekend away?",
      `Which part of that would ${p.partner} enjoy most?`,
      "And what could we eat there?",
      "Thanks. Put the Saturday of that trip into a short plan.",
    ),
    asked("It's me again. Which city did I say that I live in?", p.city),
    asked("What do I do for a living?", p.job.replace(/^an? /, "")),
    asked("Which colour did I call my favourite?", p.colour),
    asked(`What is my ${animal} called?`, p.petName),
    asked("What is the name of my partner?", p.partner),
    asked("What was my goal for this year?", p.goal),
    asked("Which food do you have to leave out when you suggest a recipe to me?", p.allergy),
    asked(`What did I say that ${p.partner} is fond of?`, p.likes),
    ...plain(...explanations(index)),
    ...plain(
      `I have begun to learn ${p.skill}. Where do I start?`,
      "How long should one practise each day?",
      `I can practise ${p.when} only. Make that fit.`,
      "What do beginners get wrong most often?",
      "Give me one exercise for today.",
      "How shall I notice that I am getting better?",
      "What do I need to buy first?",
      `I can spend ${p.budget} on it.`,
      "Make all of this into a plan for four weeks.",
      `Write two lines of verse about my ${animal}.`,
      `What would be a good present for ${p.partner}?`,
      `I am making a ${p.work} for ${p.client}. I chose the theme "${p.theme}".`,
      `Give me three ideas for that ${p.work}. I want ${p.motif} in it.`,
      "Which of the three is the strongest?",
    ),
    asked("Hello once more. What am I learning since last month?", p.skill),
    asked("At what time did I say that I can practise?", p.when),
    asked("How much did I say that I can spend on it?", p.budget),
    asked(`Who is the ${p.work} for?`, p.client),
    asked("Which kind of thing am I making for them?", p.work),
    asked(`What was the theme that I chose for the ${p.work}?`, p.theme),
    asked(`What did I want to see in that ${p.work}?`, p.motif),
    ...plain(`Suggest an evening for ${p.partner} and me.`, "Sum up in three sentences what you know about me."),
    ...plain(`One last thing: I ${p.closing}.`),
  ];
}

/** Ten plain questions that nothing personal answers; each dialogue has other ones first. */
function explanations(index: number): string[] {
  return Array.from({ length: 10 }, (_, at) => {
    const topic = TOPICS[(index * 5 + at) % TOPICS.length]!;
    return FORMS[(index + at) % FORMS.length]!.replace("TOPIC", topic);
  });
}

const FORMS = [
  "Explain TOPIC in plain words.",
  "Tell me about TOPIC as if it were a bedtime story.",
  "What should everybody know about TOPIC?",
  "Compare TOPIC with something from a kitchen.",
];

const TOPICS = [
  "tides",
  "compound interest",
  "how a fridge cools",
  "the seasons",
  "black holes",
  "vaccines",
  "why leaves turn red",
  "the water cycle",
  "how a lock works",
  "inflation",
  "earthquakes",
  "how bread rises",
  "the speed of light",
  "photosynthesis",
  "the stock market",
  "rainbows",
];
