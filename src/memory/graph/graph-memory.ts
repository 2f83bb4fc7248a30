import type { ContextNote } from "../../notes/note.js";
import { cutWords } from "../../text/words.js";
import type { Question, TaskBrief } from "../../types.js";
import { contextNote } from "./notes.js";
import type { GraphSettings } from "./options.js";
import { reportLine } from "./report.js";
import type { GraphView } from "./semantic-context.js";

/** What others did in similar cases, and which communities that belongs to: the other side of episodic memory. */
export interface GraphMemory {
  recall(query: string): Promise<GraphRecollection>;
}

interface GraphRecollection {
  /** One line per similar event of another user, best first. */
  readonly events: readonly string[];
  /** One line per community, the one that overlaps most first. */
  readonly communities: readonly string[];
  /** The subgraph behind both, for traces. */
  readonly note: ContextNote;
}

/** The memory for one question: no query finds what the question may not see. */
export function graphMemory(
  view: GraphView,
  question: Question,
  settings: GraphSettings,
  task: TaskBrief,
): GraphMemory {
  return {
    async recall(query) {
      const context = await view.context(query, question, {
        kUser: 0,
        kGlobal: settings["graph-rag.kGlobal"],
        communities: settings["graph-rag.communities"],
        topicalOnly: true,
      });
      return {
        events: context.global.map(({ event }) =>
          task.show({ ...event, content: cutWords(event.content, EVENT_MAX_WORDS) }),
        ),
        communities: context.communities.map(({ report }) => reportLine(report, task.itemNoun)),
        note: contextNote(context, task),
      };
    },
  };
}

const EVENT_MAX_WORDS = 200;
