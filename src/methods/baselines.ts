import { recencyOrder } from "../retrievers/recency.js";
import { labelCounter } from "../tasks/baselines.js";
import { normalizeLabel } from "../tasks/label-tasks.js";
import type { Event, Kit, Method, Question, TaskBrief } from "../types/index.js";
import { callPlan } from "./calls.js";

/** Gives the answer to a question from a user's labelled history, oldest first; undefined where that is empty. */
type Rule = (labelled: readonly Event[], kit: Kit, question: Question) => string | undefined;

const noLabels = ({ dialogue, unlabelled }: TaskBrief): string | undefined =>
  dialogue === true || unlabelled === true
    ? "it answers with labels of the history, and this task's data have none"
    : undefined;

const noList = ({ labels }: TaskBrief): string | undefined =>
  labels.length === 0 ? "it answers with one label of a list, and this task's answers are free text" : undefined;

/** Builds a method that asks no model. A question that its rule has no answer to gets an empty reply. */
const baseline = (facts: Pick<Method, "name" | "summary" | "source" | "unfit">, rule: Rule): Method => ({
  ...facts,
  options: {},
  embeds: () => false,
  plan: () => callPlan({}, { perQuestion: () => ({}) }),
  async personalize({ history }) {
    const labelled = history.filter(({ label }) => label !== undefined);
    return Object.assign(async (question: Question, kit: Kit): Promise<string> => rule(labelled, kit, question) ?? "", {
      learn: async (event: Event): Promise<void> => void labelled.push(event),
    });
  },
});

/** The baseline of most label tasks: the footer of tables as a method. */
export const majority = baseline(
  {
    name: "majority",
    summary: "the most frequent label of the user's history, of equals the last; asks no model",
    source: "common baseline; METHODS 13",
    unfit: (task) => noLabels(task) ?? noList(task),
  },
  (labelled, { task }) => {
    const most = labelCounter(task.labels);
    for (const { label = "" } of labelled) most.see(label);
    return most.label();
  },
);

export const randomLabel = baseline(
  {
    name: "random",
    summary: "one of the task's labels, drawn by --seed; asks no model",
    source: "common baseline; METHODS 13",
    unfit: noList,
  },
  (_labelled, kit, { options }) => kit.random("answer").sample(kit.task.labels.slice(0, options?.length), 1)[0],
);

export const mostRecent = baseline(
  {
    name: "most-recent",
    summary: "the label, or text, of the newest item of the user's history; asks no model",
    source: "common baseline; METHODS 13",
    unfit: noLabels,
  },
  (labelled, { task }) => {
    const [newest] = recencyOrder(labelled.map(({ date }) => date));
    const label = newest === undefined ? undefined : labelled[newest]?.label;
    return label && normalizeLabel(label, task.labels);
  },
);

/** The user mean of recommender systems, in a form that official readings accept. */
export const meanRating = baseline(
  {
    name: "mean-rating",
    summary: "the rating nearest to the mean of the user's ratings, of equals the higher; asks no model",
    source: "user mean of recommender systems; METHODS 13",
    unfit: ({ kind }) => (kind === "rating" ? undefined : "it answers with a mean of ratings, and this task has none"),
  },
  (labelled, { task: { labels } }) => {
    const ratings = labelled.map(({ label }) => Number(label)).filter(Number.isFinite);
    const mean = ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length;
    const distance = (label: string): number => Math.abs(Number(label) - mean);
    return ratings.length === 0
      ? undefined
      : labels.toSorted((a, b) => distance(a) - distance(b) || Number(b) - Number(a))[0];
  },
);
