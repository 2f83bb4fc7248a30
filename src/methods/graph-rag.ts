import { MAX_COMMUNITIES } from "../memory/graph/communities.js";
import { contextNote, poolGraphNote } from "../memory/graph/graph-memory.js";
import { type WrittenReports, writtenReports } from "../memory/graph/report.js";
import { openView, type SemanticContext } from "../memory/graph/semantic-context.js";
import { openPoolGraph } from "../memory/graph/shared-graph.js";
import { openSearch, sharedSelectionCalls } from "../selectors/open.js";
import type { Answerer, Kit, Method, Question } from "../types/index.js";
import { callPlan } from "./calls.js";
import { communityMode, type GraphRagOptions, graphRagOptions, hasBlock, type Mode } from "./graph-rag/prompt.js";
import { releasedMode } from "./graph-rag/released-mode.js";
import { checkSummary, summarize, summaryCalls } from "./pag-summary.js";

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
    const reports: WrittenReports = writesReports(options) ? await writtenReports(shared, unitKit) : new Map();
    const summary = summarizes(options) ? await summarize(user, options, unitKit) : "";
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
      const written = context.within === shared ? reports : NO_WRITTEN_REPORTS;
      if (reports.size > 0 && written === NO_WRITTEN_REPORTS) kit.count("reports-computed");
      for (const { report, partial } of context.communities)
        if (partial && written.has(report.id)) kit.count("report-beyond-view");
      const parts = { question, context, reports: written, summary, category: shared.category, options };
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

/** No written reports: these cover the whole pool; a dated snapshot uses computed ones. */
const NO_WRITTEN_REPORTS: WrittenReports = new Map();

const writesReports = (options: GraphRagOptions): boolean =>
  options["graph-rag.reports"] === "llm" && modeOf(options).communities && hasBlock("communities", options);

const summarizes = (options: GraphRagOptions): boolean =>
  options["graph-rag.persona"] === "pag" && modeOf(options).communities && hasBlock("persona", options);

const modeOf = (options: Pick<GraphRagOptions, "graphrag.mode">): Mode =>
  ({ community: communityMode, released: releasedMode })[options["graphrag.mode"]];
