import { closeSync, fsyncSync, openSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { FileError, onFile } from "../disk/file-error.js";
import { removeFile, writeFully, writeWhole } from "../disk/whole-file.js";
import { ModelError, UnreachableError, UsageError } from "../errors.js";
import { longWait, retry, retryAfterMs } from "../net/retry.js";
import { messageOf } from "../text/file-trouble.js";
import type { Clock } from "../types/index.js";

export interface FetchSettings {
  readonly clock: Clock;
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

/**
 * Fetches `url` into `partFile`, going on where an earlier try stopped, if the file on the server is still the same. Tries again after
 * broken connections, 429 and 5xx. Throws UsageError for anything that is not a JSON file.
 */
export function fetchFile(url: string, partFile: string, settings: FetchSettings): Promise<Fetched> {
  const { clock, tell } = settings;
  return retry(() => tryOnce(url, partFile, settings), {
    policy: { tries: 6, firstWaitMs: 1_000, longestWaitMs: 30_000 },
    async wait(failed) {
      const line = longWait(new URL(url).host, failed);
      if (line !== undefined) tell(line);
      await clock.sleep(failed.waitMs, new AbortController().signal);
    },
    gaveUp: ({ message }, tries) =>
      new UnreachableError(
        `${url}: gave up after ${tries} tries (${message}); run the same command again to go on from ${sizeOf(partFile)} bytes`,
      ),
  });
}

/** Removes a partial file and what is remembered about it. */
export function forgetPart(partFile: string): void {
  removeFile(partFile);
  removeFile(tagFile(partFile));
}

/** Where the version of a partial file is remembered. */
const tagFile = (partFile: string): string => `${partFile}.tag`;

async function tryOnce(url: string, partFile: string, settings: FetchSettings): Promise<Fetched> {
  const tag = await readFile(tagFile(partFile), "utf8").catch(() => undefined);
  const have = tag === undefined ? 0 : sizeOf(partFile);
  const range = have > 0 && tag !== undefined ? { range: `bytes=${have}-`, "if-range": tag } : {};
  let response: Response;
  try {
    const headers = { "accept-encoding": "identity", ...range }; // ranges and lengths are of the file itself
    response = await fetch(url, { headers });
  } catch (error) {
    if (causeOf(error) === NO_WEB_PORT) throw new UsageError(`${url}: ${NO_WEB_PORT}; check --base-url`);
    throw passing(`no connection: ${causeOf(error)}`);
  }
  const { status, headers } = response;
  const isHtml = /html/i.test(headers.get("content-type") ?? "");
  const from = status === 206 ? Number(/^bytes (\d+)-/.exec(headers.get("content-range") ?? "")?.[1]) : 0;
  if ((status === 200 || (status === 206 && from === have)) && !isHtml)
    return receive(response, url, { from, partFile, settings });
  await response.body?.cancel();
  if (status === 416 || status === 206) {
    forgetPart(partFile);
    throw passing(`HTTP ${status}, but not from byte ${have}`);
  }
  if (status === 429 || status >= 500) throw passing(`HTTP ${status}`, retryAfterMs(headers));
  if (isHtml && status === 200) throw notJson(url);
  throw new UsageError(`${url}: the server answers HTTP ${status}; check --split, --part and --base-url`);
}

interface Target {
  /** The byte that comes first. */
  readonly from: number;
  readonly partFile: string;
  readonly settings: FetchSettings;
}

async function receive(response: Response, url: string, { from, partFile, settings }: Target): Promise<Fetched> {
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
      settings.onProgress(at, total);
    }
    onPart(() => fsyncSync(file));
  } catch (error) {
    if (error instanceof UsageError && !(error instanceof FileError)) forgetPart(partFile);
    if (error instanceof UsageError) throw error;
    throw passing(`the connection broke: ${causeOf(error)}`);
  } finally {
    closeSync(file);
  }
  if (total !== undefined && at < total) throw passing(`${at} of ${total} bytes came`);
  return factsOf(response);
}

/** Makes a failure that another try may mend. */
const passing = (message: string, askedMs?: number): ModelError =>
  new ModelError(message, { retryable: true, retryAfterMs: askedMs });

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

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const causeOf = (error: unknown): string =>
  messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
