import { reportLine, titleOf } from "../../memory/graph/report.js";
import type { SemanticContext, SimilarEvent } from "../../memory/graph/semantic-context.js";
import type { WrittenReports } from "../../memory/graph/written-reports.js";
import type { TfIdfSettings } from "../../retrievers/tf-idf-terms.js";
import { pySplit } from "../../text/python.js";
import { cutWords } from "../../text/words.js";
import type { AskRequest, Event, Kit, Question, TaskBrief, User } from "../../types/index.js";
import type { GraphRagOptions } from "./options.js";

/** The blocks of the prompt of PersonaAgent with GraphRAG, Algorithm 1, in the formats of METHODS 8.1. The wording is ours. */
export function baseBlock(task: TaskBrief, content: string, listed: (labels: string) => string): string {
  const labels = task.labels.length === 0 ? [] : [`Labels: ${listed(task.labels.join(", "))}`];
  return [`Task: ${task.title}`, ...labels, "", `${capitalized(task.itemNoun)}: ${content}`].join("\n");
}

export function ownBlock(parts: PromptParts, task: TaskBrief): string {
  return itemsBlock(`Similar ${task.itemNoun}s of this user:`, parts.context.own, parts, task);
}

export function globalBlock(parts: PromptParts, task: TaskBrief): string {
  return itemsBlock(`Similar ${task.itemNoun}s of other users:`, parts.context.global, parts, task);
}

/** The communities that overlap most, each as its report. */
export function communitiesBlock({ context, reports }: PromptParts, task: TaskBrief): string {
  const lines = context.communities.map(({ report }, index) => {
    const written = reports.get(report.id);
    const line = reportLine(report, task.itemNoun);
    return `${index + 1}. ${line}${written === undefined ? "" : `\n   ${written.title}. ${written.summary}`}`;
  });
  return ["Communities of topics it belongs to, over all users:", ...orNone(lines)].join("\n");
}

/** Undefined where the task's labels are no categories, or nothing is labelled. */
export function preferencesLine({ context }: PromptParts, task: TaskBrief): string | undefined {
  if (context.preferences.length === 0) return undefined;
  const shares = context.preferences.map(({ label, share }) => `${label}: ${share.toFixed(2)}`);
  return `This user's ${task.answerNoun} preferences: ${shares.join(", ")}`;
}

export function conceptsLine({ context }: PromptParts): string {
  const labels = context.concepts.map(({ label }) => label);
  return `Related concepts: ${labels.length === 0 ? NONE : labels.join(", ")}`;
}

export function sizeLine({ context }: PromptParts): string {
  return `Number of this user's past interactions: ${context.interactions}`;
}

/** HIGH above .5, MEDIUM above .2, else LOW. Source: METHODS 8.1. */
function level(similarity: number): "HIGH" | "MEDIUM" | "LOW" {
  if (similarity > 0.5) return "HIGH";
  return similarity > 0.2 ? "MEDIUM" : "LOW";
}

const NONE = "none found";
const NO_LABEL = "—";

const orNone = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [NONE] : lines);

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function itemsBlock(title: string, items: readonly SimilarEvent[], parts: PromptParts, task: TaskBrief): string {
  const lines = items.map(({ event, similarity }, index) => {
    const title = titleOf(event);
    return [
      `${index + 1}. ${title === undefined ? "" : `Title: ${title}\n   `}Text: ${cutWords(pySplit(event.content).join(" "), parts.options["events.maxWords"])}`,
      `   ${capitalized(task.answerNoun)}: ${labelOf(event, parts, task)}`,
      `   Similarity: ${similarity.toFixed(3)} (${level(similarity)})`,
    ].join("\n");
  });
  return [title, ...orNone(lines)].join("\n");
}

/** Titles are shown too; LaMP-1's reference numbers mean nothing away from their question (METHODS 8.3: a dash). */
function labelOf(event: Event, { category }: PromptParts, task: TaskBrief): string {
  return category(event) ?? (task.kind === "text" ? event.label : undefined) ?? NO_LABEL;
}

/** All that a prompt is made of. */
export interface PromptParts {
  readonly question: Question;
  readonly context: SemanticContext;
  /** Empty: computed reports. */
  readonly reports: WrittenReports;
  /** PAG's summary of the user; empty where it is not asked for. */
  readonly summary: string;
  readonly category: (event: Event) => string | undefined;
  readonly options: GraphRagOptions;
}

/** How the method works: as described, or as released. */
export interface Mode {
  readonly tfIdf: TfIdfSettings;
  /** Whether communities are looked for and shown. */
  readonly communities: boolean;
  /** Whether one context serves all questions of a user. */
  readonly reusesContext: boolean;
  /** What a reader of the tables must know, a sentence each. */
  remarks(options: GraphRagOptions): readonly string[];
  request(parts: PromptParts, kit: Kit): AskRequest;
  /** The answer in a reply. What it changes about a reply it counts. */
  answer(reply: string, user: User, kit: Kit): string;
}
