import { closeSync, fsyncSync, openSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { FileError, onFile } from "../disk/file-error.js";
import { removeFile, writeFully, writeWhole } from "../disk/whole-file.js";
import { UnreachableError, UsageError } from "../errors.js";
import { retryAfterMs } from "../net/retry.js";
import { messageOf } from "../text/file-trouble.js";
import type { Clock } from "../types/index.js";

export interface FetchSettings {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Hears of long waits, one line each. */
  tell(line: string): void;
  /** Bytes on disk so far, and in all where the server says. */
  onProgress(bytes: number, total: number | undefined): void;
}

/** What the server says of its version of the file. */
interface Fetched {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A failure that may pass. */
interface Passing {
  readonly failure: string;
  readonly retryAfterMs?: number | undefined;
}

const TRIES = 6;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** A wait that a person would wonder about. */
const LONG_WAIT_MS = 10_000;

/**
 * Fetches `url` into `partFile`, going on where an earlier try stopped, if the file on the server is still the same. Tries again after
 * broken connections, 429 and 5xx. Throws UsageError for anything that is not a JSON file.
 */
export async function fetchFile(url: string, partFile: string, settings: FetchSettings): Promise<Fetched> {
  const { clock, signal, tell } = settings;
  for (let tries = 1; ; tries++) {
    const result = await tryOnce(url, partFile, settings);
    if (!("failure" in result)) return result;
    signal.throwIfAborted();
    if (tries >= TRIES)
      throw new UnreachableError(
        `${url}: gave up after ${tries} tries (${result.failure}); run the same command again to go on from ${await sizeOf(partFile)} bytes`,
      );
    const askedMs = result.retryAfterMs ?? 0;
    const waitMs = Math.min(askedMs > 0 ? askedMs : FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
    if (waitMs >= LONG_WAIT_MS)
      tell(
        `${new URL(url).host} ${askedMs > waitMs ? `asks to wait ${Math.round(askedMs / 1000)} s` : "does not serve now"}; the next try comes in ${Math.round(waitMs / 1000)} s`,
      );
    await clock.sleep(waitMs, signal);
  }
}

/** Removes a partial file and what is remembered about it. */
export function forgetPart(partFile: string): void {
  removeFile(partFile);
  removeFile(tagFile(partFile));
}

/** Where the version of a partial file is remembered. */
const tagFile = (partFile: string): string => `${partFile}.tag`;

async function tryOnce(url: string, partFile: string, settings: FetchSettings): Promise<Fetched | Passing> {
  const tag = await readFile(tagFile(partFile), "utf8").catch(() => undefined);
  const have = tag === undefined ? 0 : await sizeOf(partFile);
  const range = have > 0 && tag !== undefined ? { range: `bytes=${have}-`, "if-range": tag } : {};
  let response: Response;
  try {
    const headers = { "accept-encoding": "identity", ...range }; // ranges and lengths are of the file itself
    response = await fetch(url, { headers, signal: settings.signal });
  } catch (error) {
    settings.signal.throwIfAborted();
    if (causeOf(error) === NO_WEB_PORT) throw new UsageError(`${url}: ${NO_WEB_PORT}; check --base-url`);
    return { failure: `no connection: ${causeOf(error)}` };
  }
  const { status, headers } = response;
  const isHtml = /html/i.test(headers.get("content-type") ?? "");
  const from = status === 206 ? Number(/^bytes (\d+)-/.exec(headers.get("content-range") ?? "")?.[1]) : 0;
  if ((status === 200 || (status === 206 && from === have)) && !isHtml)
    return receive(response, url, from, partFile, settings);
  await response.body?.cancel();
  if (status === 416) {
    const total = Number(/\*\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1]);
    if (total === have && [undefined, tag].includes(tagOf(response))) return factsOf(response); // it was complete
  }
  if (status === 416 || status === 206) {
    forgetPart(partFile);
    return { failure: `HTTP ${status}, but not from byte ${have}` };
  }
  if (status === 429 || status >= 500) return { failure: `HTTP ${status}`, retryAfterMs: retryAfterMs(headers) };
  if (isHtml && status === 200) throw notJson(url);
  throw new UsageError(`${url}: the server answers HTTP ${status}; check --split, --part and --base-url`);
}

async function receive(
  response: Response,
  url: string,
  from: number,
  partFile: string,
  { signal, onProgress }: FetchSettings,
): Promise<Fetched | Passing> {
  const length = response.headers.get("content-length");
  const total = length === null ? undefined : from + Number(length);
  const tag = tagOf(response);
  if (tag === undefined)
    removeFile(tagFile(partFile)); // nothing can prove that a rest belongs to the same file
  else writeWhole(tagFile(partFile), tag, { shared: true });
  const onPart = <T>(work: () => T): T => onFile(partFile, "what came so far is safe", work);
  const file = onPart(() => openSync(partFile, from === 0 ? "w" : "a"));
  let at = from;
  try {
    for await (const chunk of response.body ?? []) {
      if (at === 0 && !/^(?:\xef\xbb\xbf)?\s*[[{]/.test(Buffer.from(chunk.subarray(0, 64)).toString("latin1")))
        throw notJson(url);
      onPart(() => writeFully(file, chunk));
      at += chunk.length;
      onProgress(at, total);
    }
    onPart(() => fsyncSync(file));
  } catch (error) {
    if (error instanceof UsageError && !(error instanceof FileError)) forgetPart(partFile);
    if (error instanceof UsageError) throw error;
    signal.throwIfAborted();
    return { failure: `the connection broke: ${causeOf(error)}` };
  } finally {
    closeSync(file);
  }
  return total !== undefined && at < total ? { failure: `${at} of ${total} bytes came` } : factsOf(response);
}

/** What `fetch` says of a port that it never calls, as those of mail. */
const NO_WEB_PORT = "bad port";

const notJson = (url: string): UsageError =>
  new UsageError(
    `${url}: the server answers with a page, not JSON (so it does for wrong paths); check --split, --part and --base-url`,
  );

/** What identifies this version of the file; weak tags do not promise equal bytes. */
function tagOf({ headers }: Response): string | undefined {
  const etag = headers.get("etag");
  return etag !== null && !etag.startsWith("W/") ? etag : (headers.get("last-modified") ?? undefined);
}

function factsOf({ headers }: Response): Fetched {
  const [etag, lastModified] = [headers.get("etag"), headers.get("last-modified")];
  return { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

const causeOf = (error: unknown): string =>
  messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
