import { choice, counted, decimal, integer, onlyWhere } from "../registry/options.js";
import { NEAR } from "./near-duplicates.js";

/** The knob of the pool alone: cells of methods that do not read the pool have no use for it. */
export const QUESTION_IDS = "others.questionIds";

/** The knobs that decide which questions are asked and what may be seen for them. */
export const dataOptions = {
  "data.split": choice({
    default: "auto",
    of: ["auto", "train", "dev", "test"],
    help: "which official file holds the test questions; auto: dev (LongLaMP: test), else the one that is there",
  }),
  "data.maxQueriesPerUser": integer({
    default: 0,
    help: "most questions per user, drawn by data.querySeed; 0 = all (3 gives 300 on LaMP-2M, which fits PersonaAgent)",
  }),
  "data.querySeed": integer({ default: 0, help: "seed of the draw of data.maxQueriesPerUser" }),
  "data.users": choice({
    default: "first",
    of: ["first", "drawn"],
    help: "which users --users takes: the first in file order, or users drawn by --seed, the same in any file order",
  }),
  "data.limitOrder": choice({
    default: "round-robin",
    of: ["round-robin", "user-by-user"],
    help: "which questions --limit takes: a first one of every user in file order, then a second one; or user by user",
  }),
  "data.emptyProfile": choice({
    default: "error",
    of: ["error", "keep"],
    help: "a user without any past item: stop and name the user, or keep it",
  }),
  "data.foreignLabels": choice({
    default: "error",
    of: ["error", "keep"],
    help: "a past item whose label is none of the task's: stop and name it, or keep and count such items",
  }),
  "data.tier": onlyWhere(
    ({ chats }) => chats === true,
    choice({
      default: "32k",
      of: ["32k", "128k", "1M"],
      help: "length of chat histories, of those that the data come in",
    }),
  ),
  "data.events": onlyWhere(
    ({ chats }) => chats === true,
    choice({
      default: "round",
      of: ["round", "session"],
      help: "what one past item of a chat is: a message of the user with its reply, or a session",
    }),
  ),
  "history.visible": choice({
    default: "strict",
    of: ["strict", "as-shipped"],
    help: "strict hides past items that are the question itself, bear its text or a later date (METHODS 0.2); as-shipped hides nothing",
  }),
  "history.nearDuplicates": choice({
    default: "show",
    of: ["show", "hide", "error"],
    help: "past items and items of other users that are nearly a question's text: show them (lamp-eval data audit finds them), hide them, or stop and name the first",
  }),
  "history.near": decimal({
    default: NEAR,
    min: 0.7,
    max: 1,
    help: "least similarity of near-duplicates: share of words that need no edit, or share of the shorter text that stands in the longer",
  }),
  "history.limit": counted({
    default: "all",
    plain: ["all"],
    counted: ["latest"],
    whole: true,
    help: "how much of the visible past a method gets",
  }),
  others: choice({
    default: "auto",
    of: ["auto", "training-users", "leave-one-out", "all"],
    help: "pool of other users: the training users of the split, the other test users' visible pasts, or all of both; auto: training users where there are any",
  }),
  "others.users": integer({
    default: 500,
    help: "most training users read into the pool, in file order; 0 = all",
  }),
  "others.visible": choice({
    default: "before-query",
    of: ["before-query", "all"],
    help: "other users' dated items: only up to the question's date, or all",
  }),
  [QUESTION_IDS]: choice({
    default: "own",
    of: ["own", "any"],
    help: "items of other users with the id of a question are left out where it is a question of their own user (own), or whosever it is (any; legal files number items anew for every user)",
  }),
  "lamp1.labels": choice({
    default: "auto",
    of: ["auto", "citation", "user-train-questions", "own-title-proxy", "none"],
    help: "where past papers of LaMP-1 get a label from; auto: citation where present, else the user's training questions, else none",
  }),
  "lamp1.wrongOptions": onlyWhere(
    ({ choice: offers }, settings) => offers !== undefined && settings["lamp1.labels"] !== "none",
    choice({
      default: "earlier",
      of: ["earlier", "all"],
      help: "titles of others that stand against a past paper's own reference: only of papers dated no later than it, or all",
    }),
  ),
} as const;
