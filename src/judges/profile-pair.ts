import type { Judge, JudgeCase } from "../types/index.js";
import { firstObject } from "./case-and-verdict.js";

/**
 * Two replies to a question of somebody with a profile, by the criteria of RUMS (Prompts 10 to 12), in our words: for a question
 * tagged `personal: no` the neutral ones, without the profile. No gold is shown. Whoever asks does so in both orders; the paper in one.
 */
export const profilePair: Judge = {
  name: "profile-pair",
  summary: "two replies by the criteria of RUMS, with confidence; asked in both orders (rums eval reads them: H3)",
  source: "RUMS, Prompts 10 to 12, our words and examples; both orders against position bias",
  shows: 2,
  range: [-1, 1],
  request(shown) {
    const { predictions } = shown;
    const [first, second = ""] = predictions;
    const content = `${caseLines(shown)}\n\nReply 1:\n${first}\n\nReply 2:\n${second}\n\n${demand(isPersonal(shown) ? PERSONAL : NEUTRAL)}`;
    return { system: SYSTEM, messages: [{ role: "user", content }], maxTokens: 700 };
  },
  read(reply) {
    const object = firstObject(reply);
    if (object === undefined) return undefined;
    const names = "neutrality" in object ? NEUTRAL : PERSONAL;
    const scores = names.map(({ name }) => VALUES.get(object[name]));
    const confidences = names.map(({ name }) => confidenceIn(object[`${name}_confidence`]));
    const [value, confidence] = [scores.at(-1), confidences.at(-1)];
    if (value === undefined || confidence === undefined) return undefined;
    if (scores.includes(undefined) || confidences.includes(undefined)) return undefined;
    return { value, confidence, why: String(object.overall_explanation ?? "") };
  },
};

interface Criterion {
  readonly name: string;
  readonly question: string;
}

const OVERALL =
  "with all of this taken together, is only one of them clearly the better reply? A slight difference is no difference";

const PERSONAL: readonly Criterion[] = [
  { name: "completeness", question: "does the reply do what the user asks for?" },
  { name: "personalization", question: "does it use what of the profile matters here, and use it well?" },
  { name: "overpersonalization", question: "is it free of things of the profile that do not matter here or disturb?" },
  { name: "overall", question: OVERALL },
];

const NEUTRAL: readonly Criterion[] = [
  { name: "completeness", question: "does the reply answer rightly and in full?" },
  { name: "neutrality", question: "is it the same for everybody, not cut to one person?" },
  { name: "overall", question: OVERALL },
];

/** A question without the tag is taken as personal: its user has a profile. */
const isPersonal = ({ tags }: JudgeCase): boolean => tags?.personal !== "no";

const SYSTEM = [
  "You compare replies of assistants. Their order means nothing, nor does their length or style where the sense is the same.",
  'Three examples, shortened to their overall verdict.\nProfile: lives in Porto; likes surfing. Question: Why is the sky blue? First reply: it scatters sunlight, blue most. Second reply: air scatters blue light more than red. {"overall": "0", "overall_explanation": "both are right and use nothing of the profile", "overall_confidence": 90}',
  'Profile: plays the cello; shift work. Question: Who painted Guernica? First reply: Picasso. Second reply: Pablo Picasso painted it. {"overall": "0", "overall_explanation": "the same answer", "overall_confidence": 95}',
  'Profile: name Ines; commutes; supports a cricket club; loves crosswords. Question: How do I learn ten words of Finnish a day? First reply: Hi Ines! While you commute to your cricket club, think of your club\'s colours. Second reply: Make ten cards, look at them in the morning and at night, and make a small crossword of them. {"overall": "2", "overall_explanation": "the first one drags the profile in; the second uses what helps", "overall_confidence": 80}',
].join("\n\n");

function caseLines(shown: JudgeCase): string {
  const { question, persona = [] } = shown;
  const known = persona.length === 0 ? "nothing is known" : persona.map((fact) => `- ${fact}`).join("\n");
  return [
    ...(isPersonal(shown) ? [`What holds of the user:\n${known}`] : []),
    `What the user says now:\n${question}`,
  ].join("\n\n");
}

function demand(criteria: readonly Criterion[]): string {
  const keys = criteria.flatMap(({ name }) => [`"${name}"`, `"${name}_explanation"`, `"${name}_confidence"`]);
  return [
    "Which reply serves this user better? Judge by each of these:",
    ...criteria.map(({ name, question }) => `- ${name}: ${question}`),
    'For each give "1" where only reply 1 meets it, "2" where only reply 2 does, "0" where both or neither do; one sentence why; and your confidence from 1 to 100 (up to 20: hardly any evidence; 40: some; 60: clear; 80: strong; above: explicit).',
    `Reply with one JSON object and nothing else, with the keys ${keys.join(", ")}.`,
  ].join("\n");
}

const VALUES: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ["1", 1],
  ["2", -1],
  ["0", 0],
  [1, 1],
  [2, -1],
  [0, 0],
]);

function confidenceIn(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === "number" && number >= 1 && number <= 100 ? number : undefined;
}
