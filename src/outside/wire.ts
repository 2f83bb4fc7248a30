import { fatalError, ModelError, UsageError } from "../errors.js";
import { requestKey } from "../log/entry.js";
import { DIFFERENT, LEAST_TOKENS, promptBytes } from "../models/tokens.js";
import { type StartTimer, withDeadline } from "../net/deadline.js";
import { withoutNumbers } from "../text/words.js";
import type { Model, ModelRequest } from "../types/index.js";

/**
 * A model that is never sent the sampling parameters that it does not take: they are left out before the key is made. Tools and
 * prefill carry meaning: throws UsageError where the model takes none.
 */
export function adapted(model: Model): Model {
  const { id, capabilities } = model;
  return {
    ...model,
    async complete(request, signal) {
      if (request.tools !== undefined && !capabilities.tools)
        throw new UsageError(`${id} takes no tools: use --set agent.protocol=text-react, or another model`);
      if (request.messages.at(-1)?.role === "assistant" && !capabilities.prefill)
        throw new UsageError(`${id} takes no prefilled reply: end the messages with the user's turn`);
      const names = DROPPABLE.filter((name) => request[name] !== undefined && !capabilities[name]);
      const folded = capabilities.foldsSystem === true ? withSystemFolded(request) : request;
      if (names.length === 0) return model.complete(folded, signal);
      const rest = { ...folded };
      for (const name of names) delete rest[name];
      return model.complete(rest, signal);
    },
  };
}

/** Returns the request with its system prompt, and a blank line, before the first message of the user. */
function withSystemFolded({ system, ...request }: ModelRequest): ModelRequest {
  if (system === undefined) return request;
  const { messages, opening } = request;
  const [first, ...later] = messages;
  const before = `${system}\n\n`;
  if (first?.role !== "user") return { ...request, messages: [{ role: "user", content: system }, ...messages] };
  return {
    ...request,
    messages: [{ role: "user", content: before + first.content }, ...later],
    ...(opening !== undefined && { opening: before.length + opening }),
  };
}

const DROPPABLE = ["logprobs", "stop", "temperature"] as const;

/**
 * Ends a try at its deadline, also where the wrapped model ignores its signal. What was sent may have been billed. The next try of the
 * request gets twice the time, up to `mostMs`.
 */
export function timed(model: Model, usualMs: number, { mostMs, startTimer }: TimedSettings): Model {
  const lateTries = new WeakMap<ModelRequest, number>();
  return {
    ...model,
    complete(request, signal, onLimits) {
      const late = lateTries.get(request) ?? 0;
      const ms = Math.min(mostMs, usualMs * 2 ** late);
      const why = `${model.id}: no complete reply within ${ms / 1000} s (server.deadlineSeconds)`;
      const error = (): ModelError => {
        lateTries.set(request, late + 1);
        return new ModelError(why, { retryable: true, bill: "unknown", late: true });
      };
      return withDeadline((limit) => model.complete(request, limit, onLimits), signal, { ms, error, startTimer });
    },
  };
}

interface TimedSettings {
  readonly mostMs: number;
  /** Absent: real time. */
  readonly startTimer?: StartTimer | undefined;
}

/**
 * The innermost layer: sends nothing once `stop` has fired, so that neither calls waiting for a slot nor retries go out
 * after it. Fires it at the first failure that no later call can escape (bad key, spent quota), and where `SAME_REFUSALS` different
 * requests are refused (400, 422), or get what is no reply, with the same words and no reply in between.
 */
export function gated(model: Model, stop: AbortController): Model {
  let words = "";
  /** How often each request was refused so. */
  const refused = new Map<string, number>();

  function refusedAlike(request: ModelRequest, error: ModelError): ModelError | undefined {
    const { scope, retryable, tooLong, status, bill } = error;
    const isRefusal = !retryable && (status === 400 || status === 422);
    const isUnreadable = status === undefined && bill === "due"; // it came whole
    if (scope === "stop" || tooLong || !(isRefusal || isUnreadable)) return undefined; // too long: each for itself
    const now = withoutNumbers(error.message);
    if (now !== words) refused.clear();
    words = now;
    const key = requestKey("", { ...request, sample: 0 }); // draws of one prompt are refused together
    refused.set(key, (refused.get(key) ?? 0) + 1);
    const enough = retryable ? UNREADABLE_TRIES : 1;
    if ([...refused.values()].filter((tries) => tries >= enough).length < SAME_REFUSALS) return undefined;
    const message = `${error.message}; so for ${SAME_REFUSALS} different requests, and no reply in between`;
    return new ModelError(message, { retryable: false, scope: "stop", status, bill });
  }

  return {
    ...model,
    async complete(request, signal, onLimits) {
      stop.signal.throwIfAborted();
      try {
        const reply = await model.complete(request, signal, onLimits);
        refused.clear();
        return reply;
      } catch (thrown) {
        const error = (thrown instanceof ModelError ? refusedAlike(request, thrown) : undefined) ?? thrown;
        if (error instanceof ModelError && error.scope === "stop") stop.abort(error);
        throw error;
      }
    },
  };
}

const SAME_REFUSALS = 5;
/** A call counts once it has had so many replies that cannot be read: a server may be out of order for seconds. */
const UNREADABLE_TRIES = 6;

/**
 * Stops the run when a server cuts prompts in silence, as some do at the end of their context: the longest prompts have as many tokens
 * as much shorter ones. Answers to half a prompt are no results.
 */
export function stopsAtCutPrompts(model: Model): Model {
  if (model.simulated) return model;
  let mostTokens = 0;
  let shortestOfMost = 0;
  return {
    ...model,
    async complete(request, signal, onLimits) {
      const reply = await model.complete(request, signal, onLimits);
      const { in: tokens, estimated } = reply.usage;
      if (estimated === true || tokens < LEAST_TOKENS || tokens < mostTokens) return reply;
      const bytes = promptBytes(request);
      const isCut =
        tokens === mostTokens && Math.abs(bytes - shortestOfMost) > DIFFERENT * Math.max(bytes, shortestOfMost);
      if (isCut) {
        const told = `${tokens} tokens of it, as many as of a much shorter one`;
        throw fatalError(`${model.id}: the server cut the prompt (${told}); raise its context`);
      }
      shortestOfMost = tokens > mostTokens ? bytes : Math.min(shortestOfMost, bytes);
      mostTokens = tokens;
      return reply;
    },
  };
}
