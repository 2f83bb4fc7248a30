import type { ModelError } from "../../errors.js";
import type { BatchWire, LineReader, Model, ModelReply, ModelRequest, WaveFacts } from "../../types.js";

/** A request that waits for its reply. */
export interface Line {
  readonly key: string;
  readonly request: ModelRequest;
  /** Estimated tokens of its prompt. */
  readonly tokens: number;
  resolve(reply: ModelReply): void;
  reject(error: unknown): void;
}

/** The requests to one model that no wave holds yet. */
export interface Queue {
  readonly model: Model;
  readonly wire: BatchWire;
  lines: Line[];
  /** Most lines of a wave. */
  mostLines: number;
  /** Estimated tokens that are out, and the most of them. */
  tokensOut: number;
  mostTokens: number;
  /** How often in a row the provider found that too much is out. */
  refusals: number;
}

/** Throws TypeError where the model has no batches. */
export function openQueue(model: Model): Queue {
  const { batch: wire } = model;
  if (wire === undefined) throw new TypeError(`${model.id} has no batches`);
  return {
    ...{ model, wire, lines: [], mostLines: Math.min(wire.most.lines, MOST_LINES) },
    ...{ tokensOut: 0, mostTokens: wire.firstTokens ?? Number.POSITIVE_INFINITY, refusals: 0 },
  };
}

/** The name of a request's line: that of its key and its wave, in the characters and length that providers take. */
export const lineId = (key: string, wave: string): string => `${key.slice(0, 32)}-${wave}`;

/** The first lines of a queue that fit into one wave, as they are sent; none where a batch must end first. */
export function nextLines(
  { lines, wire, mostLines, tokensOut, mostTokens }: Queue,
  wave: string,
): { readonly lines: readonly Line[]; readonly texts: readonly string[]; readonly tokens: number } {
  const texts: string[] = [];
  let [bytes, tokens] = [0, 0];
  for (const line of lines.slice(0, mostLines)) {
    const text = wire.line(lineId(line.key, wave), line.request);
    bytes += Buffer.byteLength(text) + 1;
    const isOver = bytes > wire.most.bytes || tokensOut + tokens + line.tokens > mostTokens;
    if (isOver && (texts.length > 0 || tokensOut > 0)) break;
    tokens += line.tokens;
    texts.push(text);
  }
  return { lines: lines.slice(0, texts.length), texts, tokens };
}

/** Learns from a wave of so many tokens that was taken and done. */
export function learnDone(queue: Queue, tokens: number): void {
  queue.tokensOut -= tokens;
  queue.mostTokens *= 2; // more may be
  queue.refusals = 0;
}

/** Learns from a wave that was not taken. Returns whether, for all that the provider said, its lines may go another time. */
export function learnNotTaken(
  queue: Queue,
  { tokens, lines }: { readonly tokens: number; readonly lines: number },
  { reason, overLimit }: { readonly reason: ModelError | undefined; readonly overLimit: boolean },
): boolean {
  queue.tokensOut -= tokens;
  const isTooLong = reason?.status === 413;
  if (overLimit) queue.mostTokens = Math.max(1, Math.floor(tokens / 2));
  else if (isTooLong) queue.mostLines = Math.ceil(lines / 2);
  if (overLimit) queue.refusals += 1;
  const mayFit = overLimit ? queue.refusals < MOST_REFUSALS : isTooLong && lines > 1;
  return reason === undefined || mayFit;
}

/** Of one wave. */
const MOST_LINES = 10_000;
const MOST_REFUSALS = 24;

/** Where waves are written down; each call returns when that is done. */
export interface WaveLog {
  /** Waves of earlier processes that may be out, each with the requests that are not known to have come to nothing. */
  readonly waves: readonly KnownWave[];
  /** Waves that were ever meant to be sent: no name comes twice. */
  readonly count: number;
  /** Why requests may be out that are in none of these waves; none where nothing of the log was lost. */
  readonly doubts: readonly string[];
  /** Before the wave is sent. */
  intended(wave: WaveFacts, model: string, keys: readonly string[]): void;
  /** The provider has taken it. */
  created(wave: string, batch: string): void;
  /** The provider has not taken it, and will not. */
  dropped(wave: string): void;
  /** A request of it brought no reply: if it is asked again, then in another wave. */
  lost(wave: string, key: string): void;
}

/** A wave as the log holds it. */
export interface KnownWave extends WaveFacts {
  readonly model: string;
  readonly keys: readonly string[];
  /** Undefined where the process ended before it heard the id. */
  readonly batch: string | undefined;
}

/** Lines that are sent together. */
export interface Wave {
  readonly facts: WaveFacts;
  readonly queue: Queue;
  readonly keys: readonly string[];
  readonly tokens: number;
  /** The lines as they are sent; none once they are out, and for waves of earlier processes. */
  texts: readonly string[];
  batch: string | undefined;
  /** Lines that wait for it. */
  readonly lines: Set<Line>;
  isFollowed: boolean;
  /** On its way out: whoever leaves waits for that. */
  isLeaving: boolean;
  /** Only time brings it further. */
  isParked: boolean;
  /** What it brought, once it has ended. */
  readers: ReadonlyMap<string, LineReader> | undefined;
}

/** A call that nobody waits for any more while its request is out in a batch: it has not ended, and a later run takes it up. */
export class StillOut extends Error {
  override readonly name = "StillOut";
}
