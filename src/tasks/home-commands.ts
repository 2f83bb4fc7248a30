import { match } from "../metrics/match.js";
import { mention } from "../metrics/mention.js";
import type { Question, Reading, Task } from "../types/index.js";
import { line, markerInput } from "./format.js";
import { answerReading, anyText, UNPARSED } from "./reply-reading.js";
import { plainStyle } from "./styles/lamp.js";

const show: Task["formatEvent"] = ({ date, fields, content }) =>
  line([date, `${fields.kind ?? "command"}: ${content}`]);

/** Own sample of the kind of SAGE: what people say to their home, and questions about what they like. Events have no label. */
export const homeCommands: Task = {
  name: "home-commands",
  title: "Home commands: questions about preferences",
  source: "own text, in the kind of SAGE; its benchmark of simulated devices is not in this tool",
  official: "home_commands",
  aliases: [],
  requiredFields: ["kind", "text"],
  kind: "text",
  unlabelled: true,
  labels: [],
  answerNoun: "preference",
  itemNoun: "command",
  maxAnswerTokens: 64,
  metrics: [match, mention],
  ...markerInput({
    instruction:
      "Answer for the person of this home with one of the possible answers and nothing else. possible answers: [] question:",
    marker: "question:",
    content: ({ text = "" }) => text,
    document: ({ text = "" }) => text,
    label: () => undefined,
  }),
  formatEvent: show,
  strict: anyText,
  lenient: onlyOptionIn,
  summary: {
    instruction:
      "Below is what one person said to the devices at home, commands and feedback, one a line. Describe what this person likes and what the person does not want. Reply with the description only.",
    profileFields: ["liked", "disliked", "habits", "times of the day"],
  },
  styles: { lamp: plainStyle("What the person said before:", show) },
};

/** Returns the one possible answer that stands in the reply. Several or none: no answer. */
function onlyOptionIn(reply: string, { text }: Question): Reading {
  const options = /possible answers: \[([^\]]*)\]/.exec(text)?.[1]?.split(",") ?? [];
  const said = reply.toLowerCase();
  const found = options.map((option) => option.trim()).filter((option) => said.includes(option.toLowerCase()));
  return found.length === 1 && found[0] !== undefined && found[0] !== "" ? answerReading(found[0]) : UNPARSED;
}
