import { eventOptions } from "../../memory/episodic.js";
import { reportLine, titleOf, type WrittenReports } from "../../memory/graph/report.js";
import type { SemanticContext, SimilarEvent } from "../../memory/graph/semantic-context.js";
import { graphOptions } from "../../memory/graph/shared-graph.js";
import { choice } from "../../registry/options.js";
import type { TfIdfSettings } from "../../retrievers/tf-idf-index.js";
import { selectOptions } from "../../selectors/select-option.js";
import { pySplit } from "../../text/python.js";
import { englishStopWords } from "../../text/tokens.js";
import { cutWords } from "../../text/words.js";
import type { AskRequest, Event, Kit, Options, OptionTable, Question, TaskBrief } from "../../types/index.js";
import { semanticMemoryOptions } from "../pag-summary.js";

export const graphRagOptions = {
  "graphrag.mode": choice({
    default: "community",
    of: ["community", "released"],
    help: "as PersonaAgent with GraphRAG describes it, communities and all; or as its code was released, defects included and counted",
  }),
  "graph-rag.blocks": choice({
    default: "own+global+communities+persona",
    of: ["own", "own+global", "own+global+communities", "own+global+communities+persona"],
    help: "what enters the prompt: own similar events, other users', communities with concepts, persona",
  }),
  "graph-rag.persona": choice({
    default: "category-prefs",
    of: ["category-prefs", "pag"],
    help: "the persona block: the user's most frequent labels (PersonaAgent with GraphRAG), or these and PAG's summary (pag.* options)",
  }),
  ...eventOptions,
  ...graphOptions,
  ...semanticMemoryOptions,
  ...selectOptions,
} satisfies OptionTable;

export type GraphRagOptions = Options<typeof graphRagOptions>;

type Block = "own" | "global" | "communities" | "persona";

/** Tells whether a block enters the prompt. */
export const hasBlock = (block: Block, options: GraphRagOptions): boolean =>
  options["graph-rag.blocks"].split("+").includes(block);

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

/** A mode of the method: as described, or as released. */
export interface Mode {
  readonly tfIdf: TfIdfSettings;
  /** True where communities are looked for and shown. */
  readonly communities: boolean;
  /** True where one context serves all questions of a user. */
  readonly reusesContext: boolean;
  /** Returns remarks for the tables, a sentence each. */
  remarks(options: GraphRagOptions): readonly string[];
  request(parts: PromptParts, kit: Kit): AskRequest;
  /** Reads the answer in a reply. What it changes about a reply it counts. */
  answer(reply: string, history: readonly Event[], kit: Kit): string;
}

/** The method as PersonaAgent with GraphRAG describes it. Ends with the question as the benchmark asks it, so that its answer form holds. */
export const communityMode: Mode = {
  tfIdf: { stopWords: englishStopWords },
  communities: true,
  reusesContext: false,
  remarks: () => [],
  request: (parts, { task }) => ({ messages: [{ role: "user", content: communityPrompt(parts, task) }] }),
  answer: (reply) => reply,
};

function communityPrompt(parts: PromptParts, task: TaskBrief): string {
  const [global, communities] = [hasBlock("global", parts.options), hasBlock("communities", parts.options)];
  const guidance = [
    "How to use this:",
    "- HIGH similarity weighs most; consider MEDIUM; LOW is weak support.",
    ...(global
      ? [
          "- Where one of this user's and one of another user's are about equally similar, follow this user's.",
          `- Where this user's own are less similar, others' show what the ${task.itemNoun} is really about.`,
        ]
      : []),
    ...(communities ? ["- Communities are background: they tell what such topics usually are."] : []),
  ].join("\n");
  return [
    ...similarBlocks(parts, task, task.labels.join(", ")),
    ...(communities ? [communitiesBlock(parts, task)] : []),
    ...profileBlock(parts, task),
    guidance,
    `Now answer as this user would:\n${parts.question.text}`,
  ].join("\n\n");
}

/** Returns the question and the events similar to it, in the formats of METHODS 8.1; the wording is ours. `labels`: those of the task, listed. */
export function similarBlocks(parts: PromptParts, task: TaskBrief, labels: string): string[] {
  const { question, context, options } = parts;
  const head = [`Task: ${task.title}`, ...(task.labels.length === 0 ? [] : [`Labels: ${labels}`])];
  return [
    [...head, "", `${capitalized(task.itemNoun)}: ${question.content}`].join("\n"),
    itemsBlock(`Similar ${task.itemNoun}s of this user:`, context.own, parts, task),
    ...(hasBlock("global", options)
      ? [itemsBlock(`Similar ${task.itemNoun}s of other users:`, context.global, parts, task)]
      : []),
  ];
}

/** Returns the communities that overlap most, each as its report. */
function communitiesBlock({ context, reports }: PromptParts, task: TaskBrief): string {
  const lines = context.communities.map(({ report }, index) => {
    const written = reports.get(report.id);
    const line = reportLine(report, task.itemNoun);
    return `${index + 1}. ${line}${written === undefined ? "" : `\n   ${written.title}. ${written.summary}`}`;
  });
  return ["Communities of topics it belongs to, over all users:", ...orNone(lines)].join("\n");
}

/** Formats facts about user and topic; empty where no block holds them. No preferences where the labels are no categories. */
export function profileBlock({ context, summary, options }: PromptParts, task: TaskBrief): string[] {
  const { preferences, concepts, interactions } = context;
  const shares = preferences.map(({ label, share }) => `${label}: ${share.toFixed(2)}`).join(", ");
  const persona = hasBlock("persona", options);
  const lines = [
    ...(persona && shares !== "" ? [`This user's ${task.answerNoun} preferences: ${shares}`] : []),
    ...(hasBlock("communities", options)
      ? [`Related concepts: ${orNone(concepts.map(({ label }) => label)).join(", ")}`]
      : []),
    ...(persona ? [`Number of this user's past interactions: ${interactions}`] : []),
    ...(persona && summary !== "" ? [`About this user: ${summary}`] : []),
  ];
  return lines.length === 0 ? [] : [lines.join("\n")];
}

/** HIGH above .5, MEDIUM above .2, else LOW. Source: METHODS 8.1. */
function level(similarity: number): "HIGH" | "MEDIUM" | "LOW" {
  if (similarity > 0.5) return "HIGH";
  return similarity > 0.2 ? "MEDIUM" : "LOW";
}

const orNone = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? ["none found"] : lines);

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Titles are shown as labels, too; LaMP-1's reference numbers mean nothing away from their question (METHODS 8.3: a dash). */
function itemsBlock(heading: string, items: readonly SimilarEvent[], parts: PromptParts, task: TaskBrief): string {
  const lines = items.map(({ event, similarity }, index) => {
    const title = titleOf(event);
    const text = cutWords(pySplit(event.content).join(" "), parts.options["events.maxWords"]);
    const label = parts.category(event) ?? (task.kind === "text" ? event.label : undefined) ?? "—";
    return [
      `${index + 1}. ${title === undefined ? "" : `Title: ${title}\n   `}Text: ${text}`,
      `   ${capitalized(task.answerNoun)}: ${label}`,
      `   Similarity: ${similarity.toFixed(3)} (${level(similarity)})`,
    ].join("\n");
  });
  return [heading, ...orNone(lines)].join("\n");
}
