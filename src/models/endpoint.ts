import type { ModelError } from "../errors.js";
import type { Json, ModelReply, ModelRequest, ProviderSettings, ServerFacts } from "../types/index.js";
import { failure, type Speaker } from "./failure.js";
import { fieldsOf } from "./read-reply.js";
import { readUsage } from "./read-usage.js";

type Body = Readonly<Record<string, Json>>;

/** What a refusal came to: `adapted`: the next request is without it; `needed`: the parameter that the run would have to go without. */
type Refusal = { readonly adapted: string } | { readonly needed: string };

/** A refusal (400, 422) in the server's words. `field`: what it names as refused. */
interface Refused {
  readonly field?: string | undefined;
  readonly text: string;
}

/**
 * What is learned of one endpoint from its refusals. The first refusal that names a field of the body changes how
 * all later bodies are written: another name for it, another value, or none. Each field is changed once, so that a request is
 * sent again as often as it holds such fields.
 */
export class Endpoint {
  readonly #api: ServerFacts["api"];
  readonly #changes = new Map<string, FieldChange>();

  constructor(api: ServerFacts["api"]) {
    this.#api = api;
  }

  get facts(): ServerFacts {
    const changed = [...this.#changes.keys()].sort();
    return { api: this.#api, ...(changed.length === 0 ? {} : { changed }) };
  }

  /** Takes over what an earlier process learned of it. */
  recall({ changed = [] }: ServerFacts): void {
    for (const name of changed) {
      const change = changes.find((one) => one.name === name);
      if (change !== undefined) this.#changes.set(name, change);
    }
  }

  fitted(body: Body): Body {
    let fitted = body;
    for (const change of this.#changes.values()) if (change.isIn(fitted)) fitted = change.apply(fitted);
    return fitted;
  }

  /**
   * What follows from a refusal of a body that was sent as `sent`; undefined where it names no field that can be left out. `drops`:
   * parameters that change replies may be.
   */
  refused(sent: Body, { field, text }: Refused, drops: boolean): Refusal | undefined {
    const inBody = changes.filter((change) => change.isIn(sent));
    const named =
      inBody.find((change) => field !== undefined && change.fields.includes(field)) ?? byWords(inBody, text);
    if (named === undefined) return undefined;
    if (named.matters !== undefined && !drops) return { needed: named.matters };
    this.#changes.set(named.name, named); // also where an equal refusal came first: that body was sent before
    return { adapted: named.name };
  }

  /** Parameters that the run asked for and the endpoint is not sent, in alphabetical order. */
  get notApplied(): readonly string[] {
    return [...this.#changes.values()].flatMap(({ matters }) => matters ?? []).sort();
  }
}

interface FieldChange {
  readonly name: string;
  /** How refusals name it. */
  readonly fields: readonly string[];
  /** The parameter of the run that goes with it, where replies change without it. */
  readonly matters?: string;
  isIn(body: Body): boolean;
  apply(body: Body): Body;
}

const leftOut = (fields: readonly string[], matters?: string): FieldChange => ({
  name: `without ${fields.join(", ")}`,
  fields,
  ...(matters === undefined ? {} : { matters }),
  isIn: (body) => fields.some((field) => field in body),
  apply: (body) => Object.fromEntries(Object.entries(body).filter(([name]) => !fields.includes(name))),
});

const renamed = (from: string, to: string): FieldChange => ({
  name: `${from} is ${to}`,
  fields: [from],
  isIn: (body) => from in body,
  apply: (body) => Object.fromEntries(Object.entries(body).map(([name, value]) => [name === from ? to : name, value])),
});

const ENCRYPTED = "reasoning.encrypted_content";
const EFFORT = ["reasoning", "reasoning.effort", "effort"] as const;
/** Less than `low`: not every model takes these. */
const LITTLE = new Set(["none", "minimal"]);

/** The first that fits a refusal counts. */
const changes: readonly FieldChange[] = [
  renamed("max_tokens", "max_completion_tokens"),
  renamed("max_completion_tokens", "max_tokens"),
  leftOut(["temperature"], "temperature"),
  leftOut(["stop"], "stop"),
  leftOut(["stop_sequences"], "stop"),
  leftOut(["logprobs", "top_logprobs"], "logprobs"),
  leftOut(["reasoning_effort"], "effort"),
  {
    name: "effort is low",
    fields: EFFORT,
    isIn: ({ reasoning }) => LITTLE.has(String(fieldsOf(reasoning).effort)),
    apply: (body) => ({ ...body, reasoning: { effort: "low" } }),
  },
  { ...leftOut(["reasoning"], "effort"), fields: EFFORT },
  leftOut(["n"]),
  leftOut(["prompt_cache_options"]),
  leftOut(["prompt_cache_key"]),
  {
    name: "without encrypted reasoning",
    fields: ["include", ENCRYPTED],
    isIn: ({ include }) => Array.isArray(include) && include.includes(ENCRYPTED),
    apply({ include, ...body }) {
      const others = (include as readonly Json[]).filter((one) => one !== ENCRYPTED); // a list, see isIn
      return others.length === 0 ? body : { ...body, include: others };
    },
  },
  leftOut(["include"]),
  leftOut(["store"]),
  leftOut(["provider"]),
];

/** What servers say of a field that they do not take. Without such words a name in a text means something else. */
const REFUSES =
  /unsupported|not supported|(does ?n[o'’]t|do not) support|not (permitted|allowed|accepted)|unknown|unrecogni[sz]ed|unexpected|deprecated|only the default|extra (inputs|fields|keys)|extra_forbidden|must be (equal to )?1\b|use '?\w+'? instead/i;

function byWords(among: readonly FieldChange[], text: string): FieldChange | undefined {
  if (!REFUSES.test(text)) return undefined;
  return among.find(({ fields }) =>
    fields.some((field) => new RegExp(`(^|[^\\w.])["'\`]?${field}["'\`]?($|[^\\w])`).test(text)),
  );
}

interface Attempt {
  readonly sent: Readonly<Record<string, Json>>;
  readonly endpoint: Endpoint;
  readonly settings: Pick<ProviderSettings, "unsupported">;
}

/**
 * What a refusal (400, 422) that names a field of the body comes to: an error that another try follows at once, written
 * otherwise; or the end of the run, where a parameter that changes replies would have to be left out and `--unsupported` does
 * not allow it. Undefined for every other failure.
 */
export function refusalOf(speaker: Speaker, thrown: unknown, attempt: Attempt): ModelError | undefined {
  const { sent, endpoint, settings } = attempt;
  if (!(thrown instanceof Error)) return undefined;
  const { status, param, message } = thrown as Error & { readonly status?: number; readonly param?: unknown };
  if (status !== 400 && status !== 422) return undefined;
  const field = typeof param === "string" ? param : undefined;
  const refusal = endpoint.refused(sent, { field, text: message }, settings.unsupported === "drop");
  if (refusal === undefined) return undefined;
  if ("adapted" in refusal) return failure(speaker, { status, text: message, retryable: true });
  const fix = `the endpoint takes no ${refusal.needed}: --unsupported drop leaves it out, and tables say so`;
  return failure(speaker, { status, text: message, scope: "stop", fix });
}

/**
 * The reply that an error of content moderation stands for: a refusal of this one question. OpenRouter serves 403 with
 * `metadata.reasons` and bills nothing (its reference, Errors and debugging); Azure and OpenAI 400 with a code, and Azure bills the
 * prompt (Plan to manage costs for Azure OpenAI). Undefined for every other error.
 */
export function moderated(status: number | undefined, error: unknown, request: ModelRequest): ModelReply | undefined {
  const { code, message, metadata } = fieldsOf(error);
  const isFree = status === 403 && Array.isArray(fieldsOf(metadata).reasons);
  const isFiltered = FILTERED.has(String(code)) || (code === "invalid_prompt" && /usage policy/i.test(String(message)));
  if (!isFree && !(status === 400 && isFiltered)) return undefined;
  const none = { text: "", toolCalls: [] };
  const told = { out: 0, inHoldsCache: true, ...(isFree ? { billedUsd: 0 } : {}) };
  return { ...none, stop: "refusal", usage: readUsage(told, request, none), model: "" };
}

const FILTERED = new Set(["content_filter", "content_policy_violation"]);
