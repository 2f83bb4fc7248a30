import type { EmbedderProvider } from "../../embedders/provider.js";
import { UsageError } from "../../errors.js";
import { countOf } from "../../text/count.js";
import { firstLine } from "../../text/file-trouble.js";
import type { Judge, ModelRequest, Provider, Task } from "../../types/index.js";
import { type Check, passedOr, unchecked } from "./checks.js";

/** Returns a line for each label that the task does not read back. */
export function unreadLabels({ labels, strict, lenient, question }: Task): string[] {
  const asked = question({ id: "probe", input: "probe" });
  return labels.flatMap((label) => {
    const readings = [strict(label), lenient(label, asked)];
    return readings.every((reading) => reading.kind === "answer" && reading.answer === label)
      ? []
      : [`the reply "${label}" is not read as the label ${label}`];
  });
}

/** A judge asks the same twice, and shows the replies. */
export function judgeCheck(judge: Judge): Check {
  const predictions = ["a first reply", "a second reply"].slice(0, judge.shows);
  const shown = { question: "a question", persona: ["a fact"], history: ["User: a line"], predictions };
  const [request = "", again] = [1, 2].map(() => JSON.stringify(judge.request(shown as never))); // as many as it shows
  const problems = [
    ...(request === again ? [] : ["its request is another one the second time"]),
    ...predictions.filter((reply) => !request.includes(reply)).map((reply) => `its request does not hold "${reply}"`),
    ...(judge.read("") === undefined ? [] : ["it reads a verdict in an empty reply"]),
  ];
  return passedOr(`judge ${judge.name}`, problems, "the same request twice, with the replies in it");
}

const TEXTS = ["a desk lamp", "a lamp shade", "a desk lamp"];
const REQUEST: ModelRequest = { messages: [{ role: "user", content: "Say one word." }], maxTokens: 8, sample: 0 };

/** An embedder that needs no key gives equal texts equal vectors of one length. */
export function embedderCheck(family: EmbedderProvider): Promise<Check> {
  return opened(`embedder ${family.name}`, "one vector a text, the same each time, of finite numbers", async () => {
    const embedder = await family.open("probe", { env: {} });
    const vectors = await embedder.embed(TEXTS);
    const lengths = [...new Set(vectors.map(({ length }) => length))];
    return [
      ...(vectors.length === TEXTS.length ? [] : [`${countOf(vectors.length, "vector")} for ${TEXTS.length} texts`]),
      ...(lengths.length === 1 ? [] : [`vectors have ${lengths.join(", ")} numbers`]),
      ...(vectors.every((vector) => vector.every(Number.isFinite)) ? [] : ["a number is not finite"]),
      ...(String(vectors[0]) === String(vectors[2]) ? [] : ["the same text has another vector the next time"]),
    ];
  });
}

/** A provider's model that needs no key answers a request, and ends one that is aborted. */
export function providerCheck(provider: Provider): Promise<Check> {
  return opened(`provider ${provider.name}`, "a request is answered with its tokens counted, or aborted", async () => {
    const model = await provider.open("probe", { env: {}, concurrency: 1 });
    const { text, usage } = await model.complete(REQUEST, new AbortController().signal);
    const late = await model.complete(REQUEST, AbortSignal.abort()).catch(() => undefined);
    return [
      ...(typeof text === "string" ? [] : ["the reply has no text"]),
      ...([usage?.in, usage?.out].every(Number.isInteger) ? [] : ["usage.in and usage.out are no whole numbers"]),
      ...(late === undefined ? [] : ["it answers an aborted call: complete() does not look at its signal"]),
    ];
  });
}

async function opened(name: string, text: string, look: () => Promise<readonly string[]>): Promise<Check> {
  try {
    return passedOr(name, await look(), text);
  } catch (error) {
    if (error instanceof UsageError) return unchecked(name, `${text}: ${firstLine(error)}`); // e.g. a key is missing
    return passedOr(name, [`it fails: ${firstLine(error)}`], text);
  }
}
