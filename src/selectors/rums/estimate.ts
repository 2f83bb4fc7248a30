import { fatalError } from "../../errors.js";
import type { AskRequest, Kit, Message, ModelReply, TokenLogprob } from "../../types/index.js";
import {
  type Estimate,
  entropy,
  type LabelProbabilities,
  labelProbabilities,
  normalizedProbabilities,
  sampledEntropy,
  sequenceEntropy,
} from "./entropy.js";
import type { RumsOptions } from "./options.js";

export type EntropyKind = "label" | "token" | "sample";

/** Returns how entropies are measured under these options by this model. Throws ModelError, which ends the run, where it cannot. */
export function kindOf(options: RumsOptions, alternatives: number, kit: Pick<Kit, "task" | "models">): EntropyKind {
  const wanted = options["rums.entropy"];
  if (wanted === "sample") return wanted;
  const { labels } = kit.task;
  if (wanted === "label" && labels.length === 0)
    throw fatalError(`rums.entropy=label: ${kit.task.name} has no labels; use token or sample`);
  if (alternatives > 0) return wanted === "auto" ? (labels.length > 0 ? "label" : "token") : wanted;
  if (wanted === "auto") return "sample";
  throw fatalError(
    `rums.entropy=${wanted}: ${kit.models.reference.id} gives no logprobs; use rums.entropy=sample, or name a model that does: --set model.reference=PROVIDER/ID`,
  );
}

/** Measures the entropy of the answers to a prompt; undefined where the model did not tell it. */
type Estimator = (prompt: string) => Promise<Estimate | undefined>;

/** Asks the reference model. What is missing or approximate is counted. */
export function estimator(kind: EntropyKind, options: RumsOptions, kit: Kit): Estimator {
  return { label: ofLabels, token: ofTokens, sample: ofSamples }[kind](options, kit);
}

/** Alternatives asked for at each token; RUMS has full distributions (METHODS 9.2). */
const LOGPROBS = 20;
/** Most further calls that tell labels with one beginning apart, where the model takes a begun answer. Ours. */
export const EXPANSIONS = 4;
/** Sampled answers where no logprobs come. Ours. */
export const ANSWERS = 20;
/** Tokens in which a label is told apart: the first ones. */
const LABEL_TOKENS = 4;
/** Above this probability outside the returned tokens an entropy says little. */
const MAX_UNSEEN = 0.2;

type RequestOptions = Omit<AskRequest, "messages" | "of">;

/** `begun`: how the answer begins. */
function askReference(kit: Kit, prompt: string, rest: RequestOptions, begun?: string): Promise<ModelReply> {
  const answer: Message[] = begun === undefined ? [] : [{ role: "assistant", content: begun }];
  return kit.ask("select", { of: "reference", messages: [{ role: "user", content: prompt }, ...answer], ...rest });
}

function ofLabels(_options: RumsOptions, kit: Kit): Estimator {
  const { labels } = kit.task;
  return async (prompt) => {
    const requestOptions = { maxTokens: LABEL_TOKENS, logprobs: LOGPROBS, ...temperatureOf(0, kit) };
    const { logprobs } = await askReference(kit, prompt, requestOptions);
    if (!hasAlternatives(logprobs)) return missing(kit);
    const first = labelProbabilities(logprobs, labels);
    const probabilities = await expanded(first, prompt, requestOptions, kit);
    const normalized = normalizedProbabilities(probabilities);
    if (normalized === undefined) return missing(kit);
    if (first.unassigned > MAX_UNSEEN) kit.count("labels-untold");
    return { entropy: entropy(normalized), unseen: first.unassigned };
  };
}

/** Tells labels with one beginning apart: by a further call that begins the answer so, else evenly. */
async function expanded(
  { probabilities, shared }: LabelProbabilities,
  prompt: string,
  rest: RequestOptions,
  kit: Kit,
): Promise<Map<string, number>> {
  const all = new Map(probabilities);
  const add = (label: string, probability: number): void => void all.set(label, (all.get(label) ?? 0) + probability);
  const byProbability = [...shared].sort((a, b) => b.probability - a.probability);
  for (const [at, { prefix, probability, labels }] of byProbability.entries()) {
    const begins = kit.models.reference.capabilities.prefill && at < EXPANSIONS;
    const reply = begins ? await askReference(kit, prompt, rest, prefix.trimEnd()) : undefined;
    const further = hasAlternatives(reply?.logprobs)
      ? labelProbabilities(reply.logprobs, labels, { prefix, probability })
      : undefined;
    if (further === undefined || further.probabilities.size === 0) {
      kit.count("labels-split-evenly");
      for (const label of labels) add(label, probability / labels.length);
      continue;
    }
    for (const [label, part] of further.probabilities) add(label, part);
    if (further.shared.length > 0) kit.count("labels-split-evenly");
    for (const group of further.shared)
      for (const label of group.labels) add(label, group.probability / group.labels.length);
  }
  return all;
}

function ofTokens(options: RumsOptions, kit: Kit): Estimator {
  return async (prompt) => {
    const samples = await drawn(options["rums.samples"], (draw) =>
      askReference(kit, prompt, {
        maxTokens: options["rums.tokens"],
        logprobs: LOGPROBS,
        ...temperatureOf(options["rums.temperature"], kit),
        draw,
      }),
    );
    const told = samples.flatMap(({ logprobs, text }) => (isWhole(logprobs, text) ? [logprobs] : []));
    if (told.length < samples.length) kit.count("logprobs-missing");
    if (told.length === 0) return undefined;
    const found = sequenceEntropy(told);
    if (found.unseen > MAX_UNSEEN) kit.count("tail-over-0.2");
    return found;
  };
}

/** Estimates entropy from counts of sampled answers, for models without logprobs. Counted as `entropy-of-samples`. */
function ofSamples(options: RumsOptions, kit: Kit): Estimator {
  kit.count("entropy-of-samples");
  const length = kit.task.labels.length > 0 ? {} : { maxTokens: options["rums.tokens"] };
  return async (prompt) => {
    const replies = await drawn(ANSWERS, (draw) =>
      askReference(kit, prompt, { ...length, ...temperatureOf(options["rums.temperature"], kit), draw }),
    );
    return { entropy: sampledEntropy(replies.map(({ text }) => text.trim().toLowerCase())), unseen: 0 };
  };
}

const drawn = (count: number, ask: (draw: number) => Promise<ModelReply>): Promise<ModelReply[]> =>
  Promise.all(Array.from({ length: count }, (_, draw) => ask(draw)));

/** Leaves it out if the model takes none: this value is our default, not the user's setting. */
const temperatureOf = (temperature: number, { models }: Kit): { readonly temperature?: number } =>
  models.reference.capabilities.temperature ? { temperature } : {};

const hasAlternatives = (logprobs: readonly TokenLogprob[] | undefined): logprobs is readonly TokenLogprob[] =>
  (logprobs?.[0]?.top.length ?? 0) > 0;

/** Tokens without alternatives, and words without tokens, would read as certainty; a reply without words has no tokens. */
const isWhole = (logprobs: readonly TokenLogprob[] | undefined, text: string): logprobs is readonly TokenLogprob[] =>
  logprobs !== undefined && (logprobs.length > 0 || text === "") && logprobs.every(({ top }) => top.length > 0);

function missing(kit: Kit): undefined {
  kit.count("logprobs-missing");
  return undefined;
}

/**
 * Asks the reference model once, for all users of an arm, whether logprobs really come back and how many. What is missing is
 * said and counted, never read as certainty.
 */
export function probeLogprobs(kit: Kit): Promise<number> {
  return kit.shared(`logprobs/${kit.models.reference.id}/${LOGPROBS}`, async (armKit) => {
    const { id, capabilities } = armKit.models.reference;
    const alternatives = capabilities.logprobs ? await alternativesOf(armKit) : 0;
    armKit.note({
      kind: "custom",
      data: { name: "logprobs", data: { model: id, asked: LOGPROBS, got: alternatives } },
    });
    if (alternatives === 0) armKit.count("logprobs-none");
    else if (alternatives < LOGPROBS) armKit.count(`logprobs-at-most=${alternatives}`);
    return alternatives;
  });
}

/** A question with as many answers as a chat model returns alternatives, each with another first token. */
const QUESTION =
  "Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. tags: [action, biography, comedy, drama, epic, fantasy, ghosts, horror, indie, journey, kids, love, mystery, noir, opera, politics, quiz, romance, sports, travel] description: a story";

async function alternativesOf(kit: Kit): Promise<number> {
  const reply = await askReference(kit, QUESTION, { maxTokens: 1, logprobs: LOGPROBS });
  return reply.logprobs?.[0]?.top.length ?? 0;
}
