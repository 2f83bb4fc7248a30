import type { ContextNote, GraphNote, NotedItem } from "../../notes/note.js";
import { nounOf } from "../../text/count.js";

/** Sizes, and the largest communities with labels and sample items. */
export function renderGraph(note: GraphNote): string {
  const { edges } = note;
  const largest = note.largest.flatMap(({ id, report, samples }) => [
    `${String(id).padStart(3)}  ${report}`,
    ...samples.map((sample) => `       - ${sample.text} (${sample.id})`),
  ]);
  return [
    `nodes  ${number(note.interactions)} ${nounOf(note.interactions, "interaction")}, ${number(note.concepts)} ${nounOf(note.concepts, "concept")}, ${number(note.categories)} ${nounOf(note.categories, "category", "categories")}`,
    `edges  ${number(edges.interactionConcept)} interaction-concept, ${number(edges.interactionCategory)} interaction-category, ${number(edges.conceptConcept)} concept-concept`,
    `communities  ${number(note.communities)}${largest.length === 0 ? "" : "; the largest:"}`,
    ...largest,
  ].join("\n");
}

/** The subgraph that entered one prompt or one answer of the `graph_memory` tool. */
export function renderContext(note: ContextNote): string {
  const preferences = note.preferences.map(({ label, share }) => `${label} ${share.toFixed(2)}`).join(", ");
  return [
    section("own", note.own.map(item)),
    section("others", note.global.map(item)),
    section(
      "communities",
      note.communities.map(
        ({ id, report, overlap, concepts }) =>
          `${id}  ${report}; overlap ${overlap.toFixed(3)} by ${concepts.join(", ")}`,
      ),
    ),
    `preferences: ${preferences === "" ? "none" : preferences}`,
    `concepts: ${note.concepts.length === 0 ? "none" : note.concepts.join(", ")}`,
  ].join("\n");
}

const number = (value: number): string => value.toLocaleString("en-US");

const section = (title: string, lines: readonly string[]): string =>
  [`${title}:`, ...(lines.length === 0 ? ["  none"] : lines.map((line) => `  ${line}`))].join("\n");

const item = ({ owner, id, similarity, text, label, concepts }: NotedItem): string =>
  `${similarity.toFixed(3)}  ${owner}/${id}  ${label ?? "-"}  ${text}  [${concepts.join(", ")}]`;
