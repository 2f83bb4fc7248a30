import { closeSync, fsyncSync, openSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { FileError, onFile } from "../disk/file-error.js";
import { removeFile, writeFully, writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { longWait, type RetryPolicy, retry, type Try } from "../net/retry.js";
import { retryAfterMs } from "../net/retry-after.js";
import { messageOf } from "../text/file-trouble.js";
import type { Clock } from "../types/index.js";

export interface FetchSettings {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Hears of long waits, one line each. */
  tell?(line: string): void;
  /** Bytes on disk so far, and in all where the server says. */
  onProgress(bytes: number, total: number | undefined): void;
}

interface Fetched {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/**
 * Fetches `url` into `partFile`, going on where an earlier try stopped, if the file on the server is still the same. Retries
 * broken connections, 429 and 5xx. Throws UsageError for anything that is not a JSON file.
 */
export async function fetchFile(url: string, partFile: string, settings: FetchSettings): Promise<Fetched> {
  const { clock, signal } = settings;
  return retry(() => tryOnce(url, partFile, settings), {
    policy: POLICY,
    wait(failed) {
      const line = longWait(new URL(url).host, failed);
      if (line !== undefined) settings.tell?.(line);
      return clock.sleep(failed.waitMs, signal);
    },
    onFailure: () => signal.throwIfAborted(),
    gaveUp: async (problem, tries) =>
      new UsageError(
        `${url}: gave up after ${tries} tries (${problem}); run the same command again to go on from ${await sizeOf(partFile)} bytes`,
      ),
  });
}

/** Removes a partial file and what is remembered about it. */
export function forgetPart(partFile: string): void {
  removeFile(partFile);
  removeFile(tagFile(partFile));
}

const POLICY: RetryPolicy = { tries: 6, firstWaitMs: 1_000, longestWaitMs: 30_000 };

type Attempt = Try<Fetched, string>;

const tagFile = (partFile: string): string => `${partFile}.tag`;

/** What `fetch` says of a port that it never calls, as those of mail. */
const NO_WEB_PORT = "bad port";

async function tryOnce(url: string, partFile: string, settings: FetchSettings): Promise<Attempt> {
  const tag = await readTag(partFile);
  const have = tag === undefined ? 0 : await sizeOf(partFile);
  let response: Response;
  try {
    response = await fetch(url, {
      headers: {
        "accept-encoding": "identity", // ranges and lengths are of the file itself
        ...(have > 0 && tag !== undefined ? { range: `bytes=${have}-`, "if-range": tag } : {}),
      },
      signal: settings.signal,
    });
  } catch (error) {
    settings.signal.throwIfAborted();
    if (causeOf(error) === NO_WEB_PORT) throw new UsageError(`${url}: ${NO_WEB_PORT}; check --base-url`);
    return { failure: `no connection: ${causeOf(error)}` };
  }
  if (response.status === 416) return afterRefusedRange(response, have, partFile, tag);
  if (response.status === 429 || response.status >= 500) {
    await response.body?.cancel();
    return { failure: `HTTP ${response.status}`, retryAfterMs: retryAfterMs(response.headers) };
  }
  if (response.status !== 200 && response.status !== 206) {
    await response.body?.cancel();
    throw new UsageError(`${url}: the server answers HTTP ${response.status}; check --split, --part and --base-url`);
  }
  return receive(response, url, have, partFile, settings);
}

/** The server has no bytes behind ours: the file is complete, or another one by now. */
async function afterRefusedRange(
  response: Response,
  have: number,
  partFile: string,
  tag: string | undefined,
): Promise<Attempt> {
  await response.body?.cancel();
  const total = Number(/\*\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1] ?? Number.NaN);
  const sameFile = tag === undefined || tagOf(response) === undefined || tagOf(response) === tag;
  if (total === have && sameFile) return { done: factsOf(response) };
  forgetPart(partFile);
  return { failure: "HTTP 416" };
}

async function receive(
  response: Response,
  url: string,
  have: number,
  partFile: string,
  settings: FetchSettings,
): Promise<Attempt> {
  const from = response.status === 206 ? rangeStart(response) : 0;
  if (from !== 0 && from !== have) {
    await response.body?.cancel();
    forgetPart(partFile);
    return { failure: `the server sent bytes from ${from} instead of ${have}` };
  }
  const length = response.headers.get("content-length");
  const total = length === null ? undefined : from + Number(length);
  if (/html/i.test(response.headers.get("content-type") ?? "")) {
    await response.body?.cancel();
    throw notJson(url);
  }
  writeTag(partFile, response);
  const onPart = <T>(work: () => T): T => onFile(partFile, "what came so far is safe", work);
  const file = onPart(() => openSync(partFile, from === 0 ? "w" : "a"));
  let at = from;
  try {
    for await (const chunk of response.body ?? []) {
      if (at === 0 && !looksLikeJson(chunk)) throw notJson(url);
      onPart(() => writeFully(file, chunk));
      at += chunk.length;
      settings.onProgress(at, total);
    }
    onPart(() => fsyncSync(file));
  } catch (error) {
    if (error instanceof FileError) throw error;
    if (error instanceof UsageError) {
      forgetPart(partFile);
      throw error;
    }
    settings.signal.throwIfAborted();
    return { failure: `the connection broke: ${causeOf(error)}` };
  } finally {
    closeSync(file);
  }
  const got = await sizeOf(partFile);
  if (total !== undefined && got < total) return { failure: `${got} of ${total} bytes came` };
  return { done: factsOf(response) };
}

function looksLikeJson(chunk: Uint8Array): boolean {
  const first = Buffer.from(chunk.subarray(0, 64))
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart()[0];
  return first === "[" || first === "{";
}

const notJson = (url: string): UsageError =>
  new UsageError(
    `${url}: the server answers with a page, not JSON (so it does for wrong paths); check --split, --part and --base-url`,
  );

const rangeStart = (response: Response): number =>
  Number(/^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "")?.[1] ?? Number.NaN);

/** What identifies this version of the file; weak tags do not promise equal bytes. */
function tagOf(response: Response): string | undefined {
  const etag = response.headers.get("etag");
  return etag !== null && !etag.startsWith("W/") ? etag : (response.headers.get("last-modified") ?? undefined);
}

const factsOf = (response: Response): Fetched => ({
  etag: response.headers.get("etag") ?? undefined,
  lastModified: response.headers.get("last-modified") ?? undefined,
});

/** Without a tag nothing can prove that the rest belongs to the same file: then a broken download starts again. */
function writeTag(partFile: string, response: Response): void {
  const tag = tagOf(response);
  if (tag === undefined) removeFile(tagFile(partFile));
  else writeWhole(tagFile(partFile), tag, { shared: true });
}

async function readTag(partFile: string): Promise<string | undefined> {
  return readFile(tagFile(partFile), "utf8").catch(() => undefined);
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

function causeOf(error: unknown): string {
  return messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
}
