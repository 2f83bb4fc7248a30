import { MAX_COMMUNITIES } from "../memory/graph/communities.js";
import { contextNote, sharedGraphNote } from "../memory/graph/graph-memory.js";
import { openView, type SemanticContext } from "../memory/graph/semantic-context.js";
import { openSharedGraph } from "../memory/graph/shared-graph.js";
import { type WrittenReports, writtenReports } from "../memory/graph/written-reports.js";
import { noteGraph, noteGraphSize } from "../notes/note.js";
import { selectingSearch, selectionCalls, sharedSelectionCalls } from "../selectors/open.js";
import type { Answerer, Event, Kit, Method, Question, User } from "../types/index.js";
import type { Mode } from "./graph-rag/blocks.js";
import { communityMode } from "./graph-rag/community-mode.js";
import { type GraphRagOptions, graphRagOptions, hasBlock } from "./graph-rag/options.js";
import { releasedMode } from "./graph-rag/released-mode.js";
import { checkSummary, semanticMemory } from "./pag-summary.js";

export const graphRag: Method<typeof graphRagOptions> = {
  name: "graph-rag",
  summary: "similar events of the user and of others, communities of a concept graph, and the user's preferences",
  source: "PersonaAgent with GraphRAG; METHODS 8",
  unfit: ({ dialogue }) =>
    dialogue === true ? "its graph is of what other users did, and a dialogue has none" : undefined,
  options: graphRagOptions,
  async personalize(user, options, unitKit) {
    const mode = modeOf(options);
    const shared = await openSharedGraph(options, mode.tfIdf, unitKit);
    noteGraphSize(unitKit, await sharedGraphNote(shared, unitKit));
    const reports: WrittenReports = writesReports(options) ? await writtenReports(shared, unitKit) : new Map();
    const summary = summarizes(options) ? await semanticMemory(user, options, unitKit) : "";
    const view = await openView(user, shared, unitKit.others);
    const wanted = {
      kUser: options["graph-rag.kUser"],
      kGlobal: hasBlock("global", options) ? options["graph-rag.kGlobal"] : 0,
      communities: mode.communities && hasBlock("communities", options) ? options["graph-rag.communities"] : 0,
      topicalOnly: mode.communities,
    };
    const selecting = await openOwn(user, options, unitKit);
    let past = user;
    let reused: SemanticContext | undefined;

    const answer: Answerer = async (question, kit) => {
      if (reused !== undefined) kit.count("released-context-reused");
      const chosen = reused === undefined ? await selecting?.(question, kit) : undefined;
      const asked = chosen === undefined ? wanted : { ...wanted, chosen };
      const context = reused ?? (await view.context(question.content, question, asked));
      if (mode.reusesContext) reused = context;
      noteGraph(kit, contextNote(context, kit.task));
      const written = context.within === shared ? reports : COMPUTED;
      if (reports.size > 0 && written === COMPUTED) kit.count("reports-computed");
      for (const { report, partial } of context.communities)
        if (partial && written.has(report.id)) kit.count("report-beyond-view");
      const parts = { question, context, reports: written, summary, category: shared.category, options };
      const reply = await kit.ask("answer", mode.request(parts, kit));
      return mode.answer(reply.text, past, kit);
    };
    answer.learn = async (event, kit) => {
      past = { ...past, history: [...past.history, event] };
      await view.learn(event);
      await selecting?.add(event, kit);
    };
    return answer;
  },
  plan: (options) => ({
    perUnit: (history) => {
      const asked = summarizes(options) && options["pag.summary"] === "llm" && history.length > 0;
      return asked ? { summary: { low: 1, high: 2 } } : {}; // an empty summary is asked for once more
    },
    perQuestion: () => ({ ...selectionCalls(options.select, options), answer: { low: 1, high: 1 } }),
    perCell: () => ({
      ...(writesReports(options) ? { summary: { low: 0, high: MAX_COMMUNITIES } } : {}),
      ...sharedSelectionCalls(options.select, options),
    }),
  }),
  check: (options, task) => {
    if (summarizes(options)) checkSummary(options, task);
  },
  sequential: (options) => modeOf(options).reusesContext,
  usesOthers: (options) => hasBlock("global", options),
  remarks: (options) => modeOf(options).remarks(options),
};

/** A report that the model wrote over the whole pool may tell of later events: at a date, communities have computed ones. */
const COMPUTED: WrittenReports = new Map();

/** The selector of the own block, where the run names one. */
async function openOwn({ history }: User, options: GraphRagOptions, unitKit: Kit) {
  const { select } = options;
  if (select === undefined) return undefined;
  const search = await selectingSearch(select, history, { stream: "own" }, options, unitKit);
  const chosen = async (question: Question, kit: Kit): Promise<readonly Event[]> =>
    (await search(question.content, options["graph-rag.kUser"], { question, kit })).map(({ event }) => event);
  return Object.assign(chosen, { add: search.add });
}

const writesReports = (options: GraphRagOptions): boolean =>
  options["graph-rag.reports"] === "llm" && modeOf(options).communities && hasBlock("communities", options);

const summarizes = (options: GraphRagOptions): boolean =>
  options["graph-rag.persona"] === "pag" && modeOf(options).communities && hasBlock("persona", options);

/** The mode of a run. */
function modeOf(options: Pick<GraphRagOptions, "graphrag.mode">): Mode {
  return { community: communityMode, released: releasedMode }[options["graphrag.mode"]];
}
