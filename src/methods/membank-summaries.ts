import {
  bucketLines,
  eventSummaryRequest,
  globalEventsRequest,
  globalPreferencesRequest,
  preferenceSummaryRequest,
} from "../memory/bank-prompts.js";
import type { Bucket } from "../memory/buckets.js";
import type { SummarizedBucket } from "../memory/memory-bank.js";
import type { AskRequest, Event, Kit } from "../types.js";
import { writtenOr } from "./answer.js";
import type { MembankOptions } from "./membank-options.js";
import { listedWords } from "./pag-options.js";

interface Summaries {
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
  const words = (events: readonly Event[]) => listedWords(kit.task, options["summary.events"], events);
  const written = await Promise.all(
    buckets.map(async (bucket) => {
      const lines = bucketLines(bucket, show, options["membank.bucketMaxWords"]);
      const [summary, preferences] = await Promise.all([
        summaryOf(eventSummaryRequest(bucket.name, lines, words(bucket.events), tokens), lines, kit),
        summaryOf(preferenceSummaryRequest(bucket.name, lines, words(bucket.events), tokens), lines, kit),
      ]);
      return { ...bucket, summary, preferences };
    }),
  );
  const preferences = written.map(({ name, preferences }) => ({ name, summary: preferences }));
  const [history, profile] = await Promise.all([
    summaryOf(globalEventsRequest(written, tokens), joined(written), kit),
    summaryOf(
      globalPreferencesRequest(preferences, words(buckets.flatMap(({ events }) => events)), tokens),
      joined(preferences),
      kit,
    ),
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

const joined = (summaries: readonly { readonly summary: string }[]): string =>
  summaries.map(({ summary }) => summary).join("\n");

const summaryOf = (request: AskRequest, material: string, kit: Kit): Promise<string> =>
  writtenOr(request, material, kit, "membank-summary-fallback");
