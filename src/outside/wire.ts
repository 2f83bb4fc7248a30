import { fatalError, ModelError, UsageError } from "../errors.js";
import { requestKey } from "../log/entry.js";
import { CUT_DIFFERENCE, promptBytes, SHORTEST_CONTEXT } from "../models/tokens.js";
import { type StartTimer, withDeadline } from "../net/deadline.js";
import { withoutNumbers } from "../text/words.js";
import type { Model, ModelRequest } from "../types/index.js";

/**
 * Removes the sampling parameters that a model does not take, before the key of a request is computed. Throws UsageError for tools and
 * prefill that it does not take: without them the question would be another.
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
      const names = OPTIONAL.filter((name) => request[name] !== undefined && !capabilities[name]);
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

const OPTIONAL = ["logprobs", "stop", "temperature"] as const;

/**
 * Ends a try at its deadline, even if the wrapped model ignores its signal. The call may have been billed. The next try of the request
 * gets twice the time, up to `mostMs`.
 */
export function timed(model: Model, firstMs: number, { mostMs, startTimer }: TimedSettings): Model {
  const lateTries = new WeakMap<ModelRequest, number>();
  return {
    ...model,
    complete(request, signal, onLimits) {
      const late = lateTries.get(request) ?? 0;
      const ms = Math.min(mostMs, firstMs * 2 ** late);
      const message = `${model.id}: no complete reply within ${ms / 1000} s (server.deadlineSeconds)`;
      const error = (): ModelError => {
        lateTries.set(request, late + 1);
        return new ModelError(message, { retryable: true, bill: "unknown", late: true });
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
 * Sends nothing once `stop` is aborted. Aborts it at the first failure after which no call can succeed (bad key, spent quota), and where
 * `SAME_REFUSALS` different requests fail with the same message and no reply in between: refused (400, 422), or answered unreadably.
 */
export function gated(model: Model, stop: AbortController): Model {
  let lastMessage = "";
  /** Number of failures with that message by request. */
  const failures = new Map<string, number>();

  /** Counts a failure. Returns the error that stops the run after enough equal ones. */
  function repeatedFailure(request: ModelRequest, error: ModelError): ModelError | undefined {
    const { scope, retryable, tooLong, status, bill } = error;
    const isRefusal = !retryable && (status === 400 || status === 422);
    const isUnreadable = status === undefined && bill === "due";
    if (scope === "stop" || tooLong || !(isRefusal || isUnreadable)) return undefined; // other prompts may be shorter
    const message = withoutNumbers(error.message);
    if (message !== lastMessage) failures.clear();
    lastMessage = message;
    const key = requestKey("", { ...request, sample: 0 }); // draws of one prompt are one request here
    failures.set(key, (failures.get(key) ?? 0) + 1);
    const enough = retryable ? UNREADABLE_TRIES : 1;
    if ([...failures.values()].filter((count) => count >= enough).length < SAME_REFUSALS) return undefined;
    const text = `${error.message}; so for ${SAME_REFUSALS} different requests, and no reply in between`;
    return new ModelError(text, { retryable: false, scope: "stop", status, bill });
  }

  return {
    ...model,
    async complete(request, signal, onLimits) {
      stop.signal.throwIfAborted();
      try {
        const reply = await model.complete(request, signal, onLimits);
        failures.clear();
        return reply;
      } catch (thrown) {
        const error = (thrown instanceof ModelError ? repeatedFailure(request, thrown) : undefined) ?? thrown;
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
 * Stops the run where a server silently cuts prompts to its context length: it counts as many tokens for the longest prompts as for much
 * shorter ones.
 */
export function stopsAtCutPrompts(model: Model): Model {
  if (model.simulated) return model;
  let mostTokens = 0;
  /** Bytes of the shortest prompt with so many tokens. */
  let fewestBytes = 0;
  return {
    ...model,
    async complete(request, signal, onLimits) {
      const reply = await model.complete(request, signal, onLimits);
      const { in: tokens, estimated } = reply.usage;
      if (estimated === true || tokens < SHORTEST_CONTEXT || tokens < mostTokens) return reply;
      const bytes = promptBytes(request);
      const difference = Math.abs(bytes - fewestBytes) / Math.max(bytes, fewestBytes);
      if (tokens === mostTokens && difference > CUT_DIFFERENCE) {
        const counts = `${tokens} tokens of it, as many as of a much shorter one`;
        throw fatalError(`${model.id}: the server cut the prompt (${counts}); raise its context`);
      }
      fewestBytes = tokens > mostTokens ? bytes : Math.min(fewestBytes, bytes);
      mostTokens = tokens;
      return reply;
    },
  };
}
