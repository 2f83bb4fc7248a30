import { cutChars } from "../agent/cut-chars.js";
import { ModelError } from "../errors.js";
import {
  bucketLines,
  eventSummaryRequest,
  globalEventsRequest,
  globalPreferencesRequest,
  preferenceSummaryRequest,
} from "../memory/bank-prompts.js";
import type { Bucket } from "../memory/buckets.js";
import type { SummarizedBucket } from "../memory/memory-bank.js";
import { pyStrip } from "../text/python.js";
import type { AskRequest, Event, Kit } from "../types.js";
import type { MembankOptions } from "./membank-options.js";

/** METHODS 6.2: a failed summary is the raw text cut to 400 tokens, here at 4 characters each. */
const FALLBACK_CHARS = 1600;

export interface Summaries {
  readonly buckets: readonly SummarizedBucket[];
  /** The overview of all events and the profile of the user; empty for an empty history. */
  readonly history: string;
  readonly profile: string;
}

/** Writes all summaries of a bank: two per bucket, side by side, then two global ones. */
export async function summarizeBank(
  buckets: readonly Bucket[],
  show: (event: Event) => string,
  options: MembankOptions,
  kit: Kit,
): Promise<Summaries> {
  if (buckets.length === 0) return { buckets: [], history: "", profile: "" };
  const tokens = options["membank.summaryTokens"];
  const written = await Promise.all(
    buckets.map(async (bucket) => {
      const lines = bucketLines(bucket, show, options["membank.bucketMaxWords"]);
      const [summary, preferences] = await Promise.all([
        summaryOf(eventSummaryRequest(bucket.name, lines, kit.task, tokens), lines, kit),
        summaryOf(preferenceSummaryRequest(bucket.name, lines, kit.task, tokens), lines, kit),
      ]);
      return { ...bucket, summary, preferences };
    }),
  );
  const preferences = written.map(({ name, preferences }) => ({ name, summary: preferences }));
  const [history, profile] = await Promise.all([
    summaryOf(globalEventsRequest(written, tokens), joined(written), kit),
    summaryOf(globalPreferencesRequest(preferences, kit.task, tokens), joined(preferences), kit),
  ]);
  const noted = written.map(({ name, events, summary, preferences }) => ({
    name,
    events: events.map(({ id }) => id),
    summary,
    preferences,
  }));
  kit.note({ kind: "bank", data: { buckets: noted, history, profile } });
  return { buckets: written, history, profile };
}

// --- internal ---

const joined = (summaries: readonly { readonly summary: string }[]): string =>
  summaries.map(({ summary }) => summary).join("\n");

/** One summary; where the call failed or gave no text, the first characters of the material. Throws what stops the whole run. */
async function summaryOf(request: AskRequest, material: string, kit: Kit): Promise<string> {
  try {
    const reply = await kit.ask("summary", request);
    const summary = reply.stop === "refusal" ? "" : pyStrip(reply.text);
    if (summary !== "") return summary;
  } catch (error) {
    if (!(error instanceof ModelError) || error.scope === "stop") throw error;
  }
  kit.count("membank-summary-fallback");
  return cutChars(material, FALLBACK_CHARS);
}
