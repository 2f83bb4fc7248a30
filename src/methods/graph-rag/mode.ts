import type { SemanticContext } from "../../memory/graph/semantic-context.js";
import type { WrittenReports } from "../../memory/graph/written-reports.js";
import type { TfIdfSettings } from "../../retrievers/tf-idf-terms.js";
import type { AskRequest, Event, Kit, Question, User } from "../../types.js";
import type { GraphRagOptions } from "./options.js";

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
  reusesContext(options: GraphRagOptions): boolean;
  /** What a reader of the tables must know, a sentence each. */
  remarks(options: GraphRagOptions): readonly string[];
  request(parts: PromptParts, kit: Kit): AskRequest;
  /** The answer in a reply. What it changes about a reply it counts. */
  answer(reply: string, user: User, options: GraphRagOptions, kit: Kit): string;
}
