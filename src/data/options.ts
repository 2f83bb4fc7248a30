import { choice, counted, integer, onlyWhere } from "../registry/options.js";

/** The options that decide which questions are asked and what may be seen for them. */
export const dataOptions = {
  "data.split": choice({
    default: "auto",
    of: ["auto", "train", "dev", "test"],
    help: "which official file holds the test questions; auto: dev (LongLaMP: test), else the one that is there",
  }),
  "data.maxQueriesPerUser": integer({
    default: 0,
    help: "most questions per user, drawn at random, the same in any run; 0 = all (3 gives 300 on LaMP-2M, which fits PersonaAgent)",
  }),
  "data.users": choice({
    default: "first",
    of: ["first", "drawn"],
    help: "which users --users takes: the first in file order, or users drawn by --seed, the same in any file order",
  }),
  "data.emptyProfile": choice({
    default: "error",
    of: ["error", "keep"],
    help: "a user without any history item: stop and name the user, or keep it",
  }),
  "data.tier": onlyWhere(
    ({ chats }) => chats === true,
    choice({
      default: "32k",
      of: ["32k", "128k"],
      help: "version of the chat histories, by their length in tokens",
    }),
  ),
  "history.visible": choice({
    default: "strict",
    of: ["strict", "as-shipped"],
    help: "strict hides history items that are the question itself, bear its text or a later date (METHODS 0.2); as-shipped hides nothing and keeps the order of the file, as the official scripts do",
  }),
  "history.limit": counted({
    default: "all",
    plain: ["all"],
    counted: ["latest"],
    whole: true,
    help: "how much of the visible history a method gets",
  }),
  others: choice({
    default: "auto",
    of: ["auto", "training-users", "leave-one-out", "all"],
    help: "pool of other users: the training users of the split, the other test users' visible histories, or all of both; auto: training users where there are any",
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
  "lamp1.labels": choice({
    default: "auto",
    of: ["auto", "citation", "user-train-questions", "own-title-proxy", "none"],
    help: "where LaMP-1's history items get a label from; auto: citation where present, else the user's training questions, else none",
  }),
} as const;
