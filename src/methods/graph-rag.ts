import { MAX_COMMUNITIES } from "../memory/graph/communities.js";
import { contextNote, poolGraphNote } from "../memory/graph/graph-memory.js";
import { type WrittenReport, type WrittenReports, writtenReport } from "../memory/graph/report.js";
import { openView, type SemanticContext } from "../memory/graph/semantic-context.js";
import { openPoolGraph, type PoolGraph } from "../memory/graph/shared-graph.js";
import { openSearch, sharedSelectionCalls } from "../selectors/open.js";
import type { Answerer, Kit, Method, Question } from "../types/index.js";
import { callPlan } from "./calls.js";
import { communityMode, type GraphRagOptions, graphRagOptions, hasBlock, type Mode } from "./graph-rag/prompt.js";
import { releasedMode } from "./graph-rag/released-mode.js";
import { checkSummary, summarizeUser, summaryCalls } from "./pag-summary.js";

export const graphRag: Method<typeof graphRagOptions> = {
  name: "graph-rag",
  summary: "similar events of the user and of others, communities of a concept graph, and the user's preferences",
  source: "PersonaAgent with GraphRAG; METHODS 8",
  unfit: ({ dialogue }) =>
    dialogue === true ? "its graph is of what other users did, and a dialogue has none" : undefined,
  options: graphRagOptions,
  embeds: (options) => options["graph-rag.weighting"] === "dense" || undefined, // undefined: depends on the selector
  async personalize(user, options, unitKit) {
    const mode = modeOf(options);
    const shared = await openPoolGraph(options, mode.tfIdf, unitKit);
    unitKit.note({ kind: "graph-size", data: await poolGraphNote(shared, unitKit) });
    const summary = summarizes(options) ? await summarizeUser(user, options, unitKit) : "";
    const view = await openView(user, shared, unitKit.others);
    const wanted = {
      kUser: options["graph-rag.kUser"],
      kGlobal: hasBlock("global", options) ? options["graph-rag.kGlobal"] : 0,
      communities: mode.communities && hasBlock("communities", options) ? options["graph-rag.communities"] : 0,
      topicalOnly: mode.communities,
    };
    const own =
      options.select === undefined ? undefined : await openSearch(user.history, { stream: "own" }, options, unitKit);
    let { history } = user;
    let reused: SemanticContext | undefined;

    const contextOf = async (question: Question, kit: Kit): Promise<SemanticContext> => {
      const chosen = await own?.(question.content, wanted.kUser, { question, kit });
      const wantedHere = chosen === undefined ? wanted : { ...wanted, chosen: chosen.map(({ event }) => event) };
      return view.context(question.content, question, wantedHere);
    };
    const answerer: Answerer = async (question, kit) => {
      if (reused !== undefined) kit.count("released-context-reused");
      const context = reused ?? (await contextOf(question, kit));
      if (mode.reusesContext) reused = context;
      kit.note({ kind: "graph", data: contextNote(context, kit.task) });
      if (wanted.communities > 0 && context.communities.length === 0) kit.count("prompt-without-community");
      const reports = writesReports(options) ? await reportsOf(context, shared, kit) : NO_WRITTEN_REPORTS;
      const parts = { question, context, reports, summary, category: shared.category, options };
      const reply = await kit.ask("answer", mode.request(parts, kit));
      return mode.answer(reply.text, history, kit);
    };
    answerer.learn = async (event, kit) => {
      history = [...history, event];
      await view.learn(event);
      await own?.add(event, kit);
    };
    return answerer;
  },
  plan: (options) =>
    callPlan(options, {
      perUnit: (history) => (summarizes(options) ? summaryCalls(history, options) : {}),
      perArm: () => ({
        ...(writesReports(options) ? { summary: { low: 0, high: MAX_COMMUNITIES } } : {}),
        ...sharedSelectionCalls(options),
      }),
    }),
  check: (options, task) => {
    if (summarizes(options)) checkSummary(options, task);
  },
  sequential: (options) => modeOf(options).reusesContext,
  usesOthers: (options) => hasBlock("global", options),
  remarks: (options) => modeOf(options).remarks(options),
};

const NO_WRITTEN_REPORTS: WrittenReports = new Map();

/** Returns the written reports of the communities shown. They cover the whole pool: a dated snapshot uses computed ones. */
async function reportsOf(
  { communities, within }: SemanticContext,
  shared: PoolGraph,
  kit: Kit,
): Promise<WrittenReports> {
  if (communities.length > 0 && within !== shared) kit.count("reports-computed");
  if (within !== shared) return NO_WRITTEN_REPORTS;
  const written = new Map<number, WrittenReport>();
  for (const { community, partial } of communities) {
    const report = await writtenReport(community, shared, kit);
    if (report === undefined) continue;
    written.set(community.id, report);
    if (partial) kit.count("report-beyond-view");
  }
  return written;
}

const writesReports = (options: GraphRagOptions): boolean =>
  options["graph-rag.reports"] === "llm" && modeOf(options).communities && hasBlock("communities", options);

const summarizes = (options: GraphRagOptions): boolean =>
  options["graph-rag.persona"] === "pag" && modeOf(options).communities && hasBlock("persona", options);

const modeOf = (options: Pick<GraphRagOptions, "graphrag.mode">): Mode =>
  ({ community: communityMode, released: releasedMode })[options["graphrag.mode"]];
