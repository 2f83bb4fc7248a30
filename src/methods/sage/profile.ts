import { bucketLines } from "../../memory/bank-prompts.js";
import type { Bucket } from "../../memory/buckets.js";
import {
  type DatedText,
  dailyRequest,
  mergeRequest,
  NO_INFORMATION,
  profileRequest,
} from "../../memory/preference-prompts.js";
import { contentId } from "../../text/content-id.js";
import { isJsonObject } from "../../text/json.js";
import type { AskRequest, Event, Kit } from "../../types/index.js";
import { writtenOr } from "../answer.js";
import { listedWords } from "../pag-summary.js";
import { type SageOptions, schemaOf } from "./options.js";

/** Most summaries that one call merges. Ours: the paper names MapReduce only; the release merges all days in one call. */
const FAN_IN = 20;

/** Writes profiles, and remembers what was written of the same content: only what changed is asked again. */
interface Profiler {
  profile(buckets: readonly Bucket[], kit: Kit): Promise<string>;
}

/**
 * Daily summaries side by side, merged in groups of `FAN_IN` until one call can take all, then one profile
 * (SAGE section 5.1.2: map and reduce). An empty past costs no call. Notes what was written as `profile`.
 */
export function openProfiler(show: (event: Event) => string, options: SageOptions, task: Kit["task"]): Profiler {
  const fields = schemaOf(options["sage.schema"], task);
  const known = new Map<string, Promise<string>>();
  const written = (request: AskRequest, material: string, kit: Kit): Promise<string> => {
    const key = contentId(request);
    const text = known.get(key) ?? writtenOr(request, material, kit, "sage-summary-fallback");
    known.set(key, text);
    return text;
  };
  const daily = async (bucket: Bucket, kit: Kit): Promise<DatedText> => {
    const text = bucketLines(bucket, show);
    return {
      name: bucket.name,
      text: await written(dailyRequest({ name: bucket.name, text }, listedWords(task, bucket.events)), text, kit),
    };
  };
  const merged = async (group: readonly DatedText[], kit: Kit): Promise<DatedText> => {
    const [first] = group;
    if (first !== undefined && group.length === 1) return first;
    const text = await written(mergeRequest(group), joined(group), kit);
    return { name: `${first?.name}..${group.at(-1)?.name}`, text };
  };
  return {
    async profile(buckets, kit) {
      if (buckets.length === 0) return NO_INFORMATION;
      const days = await Promise.all(buckets.map((bucket) => daily(bucket, kit)));
      let summaries: readonly DatedText[] = days;
      while (summaries.length > FAN_IN)
        summaries = await Promise.all(groupsOf(summaries, FAN_IN).map((group) => merged(group, kit)));
      const profile = await written(profileRequest(summaries, fields), joined(summaries), kit);
      if (!isJsonObject(profile.replace(/^```(?:json)?|```$/g, ""))) kit.count("sage-profile-not-json");
      const noted = days.map(({ name, text }, d) => ({
        name,
        events: buckets[d]!.events.map(({ id }) => id), // one summary a bucket
        summary: text,
      }));
      kit.note({ kind: "profile", data: { days: noted, profile } });
      return profile;
    },
  };
}

/** Calls that turn so many daily summaries into a profile. */
export function reduceCalls(summaries: number): number {
  if (summaries === 0) return 0;
  if (summaries <= FAN_IN) return 1;
  const full = Math.floor(summaries / FAN_IN);
  const rest = summaries % FAN_IN;
  return full + (rest > 1 ? 1 : 0) + reduceCalls(full + (rest > 0 ? 1 : 0));
}

/** Levels of merging that so many daily summaries need, the profile included: one event changes a call on each, at most. */
export function reduceLevels(summaries: number): number {
  return summaries <= FAN_IN ? 1 : 1 + reduceLevels(Math.ceil(summaries / FAN_IN));
}

const joined = (summaries: readonly DatedText[]): string => summaries.map(({ text }) => text).join("\n");

function groupsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, group) =>
    items.slice(group * size, (group + 1) * size),
  );
}
