import { DIALOGUE_PEOPLE, type DialoguePerson } from "./dialogue-people.js";

/**
 * Short chats in the form of PersonaChat's file: own text, one for each person. As there, the personality is that of the speaker who
 * answers; the partner, who speaks first and last, is the next person of the list.
 */
export function chatFile(): string {
  const train = DIALOGUE_PEOPLE.map((answers, index) => {
    const asks = DIALOGUE_PEOPLE[(index + 1) % DIALOGUE_PEOPLE.length]!;
    const history = [...linesOf(asks, answers), LAST[index % LAST.length]!];
    return { personality: personalityOf(answers), utterances: [{ candidates: replies(answers), history }] };
  });
  return `${JSON.stringify({ train, valid: [] })}\n`;
}

const personalityOf = (p: DialoguePerson): string[] => [
  `i work as ${p.job}.`,
  `i have ${p.pet} called ${p.petName}.`,
  `my favourite colour is ${p.colour}.`,
  `i am learning ${p.skill}.`,
];

const linesOf = (asks: DialoguePerson, answers: DialoguePerson): string[] => [
  `hello , i am ${asks.name} . what do you do for a living ?`,
  `i am ${answers.job.replace(/^an? /, "")} . and you ?`,
  `i work as ${asks.job} . i must not eat ${asks.allergy} , so i cook a lot .`,
  `i have ${answers.pet} who eats everything .`,
];

/** What the last line asks: in two of three chats for what only the personality tells. */
const LAST = ["what are you learning now ?", "which colour is your favourite ?", "what do you do in your free time ?"];

const replies = (p: DialoguePerson): string[] => [
  "i was born in a lighthouse .",
  "my cousin collects stamps from islands .",
  `i am learning ${p.skill} , ${p.when} .`,
];
