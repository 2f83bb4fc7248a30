import type { EmbedderProvider } from "../../embedders/provider.js";
import { UsageError } from "../../errors.js";
import { type Check, passedOr, unchecked } from "../../report/checks.js";
import { nounOf } from "../../text/count.js";
import { firstLine } from "../../text/file-trouble.js";
import type { Model, ModelReply, ModelRequest, Provider } from "../../types/index.js";

/** What holds of an embedder that needs no key; of another its form alone is checked, and the line says why. */
export async function embedderChecks(family: EmbedderProvider): Promise<Check[]> {
  const said = "one vector a text, the same at every time, all of one length and of finite numbers";
  return [
    await tried(`embedder ${family.name}`, said, async () => {
      const embedder = await family.open(PROBE, { env: {} });
      const [first, again] = [await embedder.embed(TEXTS), await embedder.embed(TEXTS)];
      return vectorProblems(first, again, embedder.dimensions);
    }),
  ];
}

/** The same of a provider: a model says what it can do, answers a request, and ends a call that is aborted. */
export async function providerChecks(provider: Provider): Promise<Check[]> {
  const thing = `provider ${provider.name}`;
  const probe = (): Promise<Model> => provider.open(PROBE, { env: {}, concurrency: 1 });
  return [
    await tried(thing, "its model says what it is called and can do", async () =>
      modelProblems(await probe(), provider.name),
    ),
    await tried(thing, "a request is answered, with its tokens counted", async () =>
      replyProblems(await (await probe()).complete(REQUEST, new AbortController().signal)),
    ),
    await tried(thing, "a call whose signal is aborted ends with an error", async () => {
      const model = await probe();
      const answered = await model.complete(REQUEST, AbortSignal.abort()).then(
        () => true,
        () => false,
      );
      return answered ? ["it answers all the same: complete() does not look at its signal"] : [];
    }),
  ];
}

/** Stands behind the slash. */
const PROBE = "probe";
const TEXTS = ["a desk lamp", "a lamp shade", "", "a desk lamp"];
const REQUEST: ModelRequest = { messages: [{ role: "user", content: "Say one word." }], maxTokens: 8, sample: 0 };

async function tried(name: string, said: string, look: () => Promise<readonly string[]>): Promise<Check> {
  try {
    return passedOr(name, await look(), said);
  } catch (error) {
    const line = firstLine(error);
    return error instanceof UsageError
      ? unchecked(name, `${said}: ${line}`)
      : passedOr(name, [`it fails: ${line}`], said);
  }
}

type Vectors = readonly Float32Array[];

function vectorProblems(first: Vectors, again: Vectors, dimensions: number): string[] {
  const lengths = new Set([...first, ...again].map(({ length }) => length));
  const known = dimensions > 0 ? dimensions : first[0]?.length;
  const other = (vectors: Vectors, at: number, from: number): boolean => String(vectors[at]) !== String(first[from]);
  return [
    ...(first.length === TEXTS.length
      ? []
      : [`${first.length} ${nounOf(first.length, "vector")} for ${TEXTS.length} texts`]),
    ...(lengths.size === 1 && lengths.has(known ?? 0)
      ? []
      : [`vectors have ${[...lengths].join(", ")} numbers; dimensions is ${dimensions}`]),
    ...([...first, ...again].every((vector) => vector.every(Number.isFinite)) ? [] : ["a number is not finite"]),
    ...(TEXTS.some((_, at) => other(again, at, at)) || other(first, TEXTS.length - 1, 0)
      ? ["the same text has another vector the next time"]
      : []),
  ];
}

const ABILITIES = ["temperature", "stop", "tools", "prefill", "logprobs"] as const;
const THINKING: readonly string[] = ["none", "optional", "always"];

function modelProblems({ id, capabilities }: Model, name: string): string[] {
  const untold = ABILITIES.filter((ability) => typeof capabilities?.[ability] !== "boolean");
  return [
    ...(id === `${name}/${PROBE}` ? [] : [`its id is "${id}", not "${name}/${PROBE}"`]),
    ...untold.map((ability) => `capabilities.${ability} is neither true nor false`),
    ...(THINKING.includes(capabilities?.thinking) ? [] : [`capabilities.thinking is none of ${THINKING.join(", ")}`]),
  ];
}

function replyProblems({ text, usage }: ModelReply): string[] {
  const uncounted = [usage?.in, usage?.out].some((tokens) => !Number.isInteger(tokens));
  return [
    ...(typeof text === "string" ? [] : ["the reply has no text"]),
    ...(uncounted ? ["usage.in and usage.out are no whole numbers"] : []),
  ];
}
