import { jsonIn } from "../../text/json.js";
import { pyStrip } from "../../text/python.js";
import { cutWords } from "../../text/words.js";
import type { Kit } from "../../types/index.js";
import { communityReport, reportLine } from "./report.js";
import type { TopicGraph } from "./shared-graph.js";

/** A model's own words about a community. */
interface WrittenReport {
  readonly title: string;
  readonly summary: string;
}

/** By community id. */
export type WrittenReports = ReadonlyMap<number, WrittenReport>;

/**
 * One summary call per kept community, once per cell; the cell's shared spend holds it. A reply that is not the JSON asked for is taken as the summary; an
 * empty one leaves that community with its computed report. Written over the whole pool.
 */
export function writtenReports(shared: TopicGraph, kit: Kit): Promise<WrittenReports> {
  return kit.shared("graph.reports", async (cell) => {
    const reports = await Promise.all(
      shared.communities.kept.map(async (community) => {
        const computed = communityReport(community, shared.graph, {
          hidden: () => false,
          samples: SAMPLES,
        });
        const items = computed.samples.map((event) =>
          kit.task.show({ ...event, content: cutWords(event.content, 60) }),
        );
        const content = [INSTRUCTION, reportLine(computed, kit.task.itemNoun), ...items].join("\n");
        const reply = await cell.ask("summary", { messages: [{ role: "user", content }], maxTokens: MAX_TOKENS });
        const report = reply.stop === "refusal" ? undefined : readReport(reply.text, computed.title);
        return [community.id, report] as const;
      }),
    );
    return new Map(reports.flatMap(([id, report]) => (report === undefined ? [] : [[id, report] as const])));
  });
}

const SAMPLES = 8;
/** Of a report (METHODS 8.3: at most 200 words). */
const MAX_WORDS = 200;
const MAX_TOKENS = 512;

const INSTRUCTION = [
  "Below is a group of past interactions of many users that share their topics: its main concepts, its size, its labels, and typical items.",
  "Describe what the group is about and which labels its items get.",
  `Reply with JSON only, at most ${MAX_WORDS} words: {"title": "<a few words>", "summary": "<the description>"}`,
].join("\n");

function readReport(reply: string, title: string): WrittenReport | undefined {
  const parsed = parseReport(reply.slice(Math.max(0, reply.indexOf("{")), reply.lastIndexOf("}") + 1));
  if (parsed !== undefined) return { ...parsed, summary: cutWords(parsed.summary, MAX_WORDS) };
  const text = cutWords(pyStrip(reply), MAX_WORDS);
  return text === "" ? undefined : { title, summary: text };
}

function parseReport(json: string): WrittenReport | undefined {
  const { title, summary } = Object(jsonIn(json)) as { readonly title?: unknown; readonly summary?: unknown };
  return typeof title === "string" && typeof summary === "string" && summary !== "" ? { title, summary } : undefined;
}
