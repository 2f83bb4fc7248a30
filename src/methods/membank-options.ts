import { agentOptions } from "../agent/options.js";
import { wikiOptions } from "../agent/tools/wiki-options.js";
import { memoryOptions } from "../memory/options.js";
import { choice, counted, decimal, flag, integer } from "../options.js";
import { selectOptions } from "../selectors/select-option.js";
import type { Options, OptionTable } from "../types.js";
import { listingOptions } from "./pag-options.js";

/** Knobs of `membank` (METHODS 6.2). */
export const membankOptions = {
  "membank.mode": choice({
    default: "agent",
    of: ["agent", "direct"],
    help: "agent: memories in the system prompt and the Wikipedia tool in the loop; direct: one call",
  }),
  "membank.bucket": counted({
    default: "date",
    plain: ["date", "month", "year"],
    counted: ["chunk"],
    help: "which events are summarized together (MemoryBank: a day)",
  }),
  ...listingOptions,
  "membank.maxBuckets": integer({ default: 24, min: 1, help: "most buckets; the oldest surplus ones become one" }),
  "membank.bucketMaxWords": integer({
    default: 6000,
    help: "a bucket's summaries see its latest events up to so many words; 0 = all",
  }),
  "membank.summaryTokens": integer({ default: 1024, min: 1, help: "token budget of one summary" }),
  "membank.eventMaxWords": integer({ default: 200, help: "cut an event's content to so many words; 0 = whole" }),
  "membank.includeGlobalSummary": flag({
    default: true,
    help: "show the overview of all events (described in the paper, left out of the released templates)",
  }),
  "membank.forget": choice({
    default: "off",
    of: ["off", "paper", "released-bug"],
    help: "forgetting curve: e^(-t/S), or the released code's e^(-t*S/5); t runs to the date of the question",
  }),
  "membank.forgetRule": counted({
    default: "rank",
    plain: ["rank", "sample"],
    counted: ["threshold"],
    help: "rank: similarity x retention, nothing deleted; threshold: drop below; sample: keep with that probability",
  }),
  "membank.timeUnitDays": decimal({ default: 30, min: 0.001, help: "days of one time unit of the forgetting curve" }),
  "membank.reinforce": flag({
    default: false,
    help: "recalled memories become new and stronger: answers then depend on the order of the questions",
  }),
  "memory.k": memoryOptions["memory.k"],
  "memory.kind": memoryOptions["memory.kind"],
  ...selectOptions,
  ...agentOptions,
  ...wikiOptions,
} satisfies OptionTable;

export type MembankOptions = Options<typeof membankOptions>;
