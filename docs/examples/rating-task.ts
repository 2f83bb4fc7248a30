// A rating task of one's own: how many stars does this traveller give a hotel?
//   lamp-eval doctor ./rating-task.ts
//   lamp-eval run --plugin ./rating-task.ts --task hotels --data ./hotels --method prompt,rag
import { builtIn, defineTask, type Event, type PromptStyle, type Reading } from "lamp-eval";

const INSTRUCTION =
  "How many stars does this traveller give, on a scale of 1 to 5? Answer with the number alone. text:";

/** Official reading: the number alone. */
const strict = (reply: string): Reading => {
  const answer = reply.trim();
  return /^[1-5]$/.test(answer) ? { kind: "answer", answer } : { kind: "unparsed" };
};

/** Forgiving reading: the first number that stands by itself. */
const lenient = (reply: string): Reading => strict(/(?<![\d.])[1-5](?![\d.]*\d)/.exec(reply)?.[0] ?? "");

const show = ({ date, content, label }: Event): string => `${date ?? "undated"}: ${content} (${label ?? "?"} stars)`;

const style: PromptStyle = {
  name: "lamp",
  source: "an example",
  document: (event) => event.document,
  query: (question) => question.query,
  tokenize: (text) => text.toLowerCase().split(/\s+/),
  assemble: (question, events, { prefix = "" }) => [prefix, ...events.map(show), question.text].join("\n").trim(),
};

const hotels = defineTask({
  name: "hotels",
  title: "Hotels: personalized stars",
  source: "an example",
  official: "Hotels", // the name inside files of predictions
  aliases: [],
  kind: "rating",
  labels: ["1", "2", "3", "4", "5"],
  answerNoun: "stars",
  itemNoun: "stay",
  maxAnswerTokens: 16,
  requiredFields: ["text", "stars"], // what every past item must have
  metrics: [builtIn.metrics.get("mae"), builtIn.metrics.get("rmse")], // the first is the headline; both expect 1 to 5
  summary: { instruction: "Say what this traveller praises, what annoys them, and the stars they give most often." },
  styles: { lamp: style }, // how `rag` and `pag` put past events and the question together
  formatEvent: show,
  strict,
  lenient,
  /** A past item as an event: what it is about, what retrieval indexes, what the user did. */
  event: (item) => ({
    id: item.id,
    fields: item,
    content: item.text ?? "",
    document: item.text ?? "",
    ...(item.date === undefined ? {} : { date: item.date }),
    ...(item.stars === undefined ? {} : { label: item.stars }),
  }),
  /** A question as it stands in the file. */
  question: ({ id, input, date }) =>
    asked(id, input, input.slice(input.indexOf("text:") + "text:".length).trim(), date),
  /** A past event as the question that it would have been. */
  pose: ({ id, content, date, label }) =>
    label === undefined ? undefined : asked(id, `${INSTRUCTION} ${content}`, content, date),
});

function asked(id: string, text: string, content: string, date: string | undefined) {
  return { id, text, content, query: content, ...(date === undefined ? {} : { date }) };
}

export default { name: "hotels", tasks: [hotels] };
