import { likenessTo } from "./likeness.js";
import { softmax } from "./softmax.js";

/**
 * How likely each reply to an open question is: what is known of the person, by how much it speaks to the question, and replies that
 * fit anybody. The more one known thing speaks to the question, the surer the reply.
 */
export function reply(question: string, shown: string): Map<string, number> {
  return replyKnowing(
    question,
    shown.split("\n").filter((line) => /^[^:\n]{1,40}: \S/.test(line)),
  );
}

/** The same of a line said to an assistant: the last paragraph of a turn, above which stands what is known. */
export function replyToLine(turn: string): Map<string, number> {
  const [line = "", ...above] = turn.split("\n\n").toReversed();
  return replyKnowing(
    line,
    above.flatMap((paragraph) => paragraph.split("\n").slice(1)), // below its heading
  );
}

function replyKnowing(question: string, known: readonly string[]): Map<string, number> {
  const likeness = likenessTo(question, known);
  const scores = new Map(GENERAL.map((text) => [text, 0]));
  known.forEach((line, at) => {
    const { words, topics } = likeness[at] ?? { words: 0, topics: 0 };
    const said = `Since ${line.replace(/\.$/, "")}, take that.`;
    scores.set(said, SHARPNESS * (words + topics) - DOUBT);
  });
  return softmax([...scores.keys()], (text) => scores.get(text) ?? 0);
}

/** Said where nothing is known: each begins with another word. */
const GENERAL = [
  "It depends on many things.",
  "People differ here.",
  "Ask somebody nearby.",
  "There are several ways.",
  "One could begin anywhere.",
  "Look it up first.",
  "Try what comes to mind.",
  "Most would say so.",
];
const SHARPNESS = 16;
/** Known things that do not speak to the question are hardly said. */
const DOUBT = 3;
