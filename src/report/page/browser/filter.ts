import { answerBy, answersOf, armOf, goodnessOf, isRight, type Run } from "./run.js";

export const shows = ["all", "wrong", "right", "unparsed", "failed", "flipped", "gained", "lost"] as const;
type Show = (typeof shows)[number];

/** Whether answers are shown by how they differ from another method's. */
export const isComparing = (show: Show): boolean => ["flipped", "gained", "lost"].includes(show);

/** `differ`: most disagreement first. `run`: as packed. Questions without a score stand last in the others. */
export const orders = ["differ", "run", "worst", "best"] as const;

/** Which questions of a task are shown: those of which an answer has it all. An empty text means any. */
export interface Filter {
  /** One of the run's tasks; empty: the first. */
  readonly task: string;
  readonly text: string;
  /** Label of an arm. */
  readonly method: string;
  readonly user: string;
  readonly show: Show;
  /** Label of the arm that flipped, gained and lost answers differ from. */
  readonly against: string;
  readonly order: (typeof orders)[number];
}

export const noFilter: Filter = {
  task: "",
  text: "",
  method: "",
  user: "",
  show: "all",
  against: "",
  order: "differ",
};

/** The questions that pass the filter, in the order asked for. `inTranscripts`: answers whose transcript holds the text. */
export function filterQuestions(run: Run, filter: Filter, inTranscripts?: Uint8Array): number[] {
  const task = Math.max(0, run.tasks.indexOf(filter.task));
  const needle = filter.text.trim().toLowerCase();
  const texts = lowered(run.texts).map((text) => text.includes(needle));
  const says = (text: string | undefined): boolean => text?.toLowerCase().includes(needle) === true;
  const found = run.questions.flatMap((question, q) => {
    if (question.task !== task || (filter.user !== "" && run.users[question.user] !== filter.user)) return [];
    const isAsked =
      needle === "" ||
      says(question.id) ||
      says(question.asked) ||
      says(run.users[question.user]) ||
      texts[question.gold];
    const passes = answersOf(run, q).some(
      (a) =>
        (filter.method === "" || armOf(run, a)?.label === filter.method) &&
        (isAsked === true ||
          texts[run.reply[a]!] === true ||
          texts[run.reading[a]!] === true ||
          inTranscripts?.[a] === 1) &&
        isShown(run, a, filter),
    );
    return passes ? [q] : [];
  });
  return filter.order === "run" ? found : ordered(run, found, filter);
}

const loweredTexts = new WeakMap<readonly string[], readonly string[]>();

/** The texts in lower case, made once: a search runs at every key. */
function lowered(texts: readonly string[]): readonly string[] {
  const made = loweredTexts.get(texts) ?? texts.map((one) => one.toLowerCase());
  loweredTexts.set(texts, made);
  return made;
}

function isShown(run: Run, answer: number, { show, against }: Filter): boolean {
  if (show === "all") return true;
  if (show === "right" || show === "wrong") return isRight(run, answer) === (show === "right");
  if (show === "unparsed" || show === "failed") return run.kind[answer] === show[0];
  const other = answerBy(run, run.question[answer]!, against);
  const [mine, theirs] = [goodnessOf(run, answer), other === undefined ? undefined : goodnessOf(run, other)];
  if (mine === undefined || theirs === undefined || mine === theirs) return false;
  return show === "flipped" || mine > theirs === (show === "gained");
}

/** By how much the answers differ, or by their mean; of the chosen method alone where one is chosen. */
function ordered(run: Run, found: readonly number[], { order, method }: Filter): number[] {
  const keys = new Map(
    found.map((q) => {
      const chosen = answersOf(run, q).filter(
        (a) => order === "differ" || method === "" || armOf(run, a)?.label === method,
      );
      const values = chosen.flatMap((a) => goodnessOf(run, a) ?? []);
      const middle = meanOf(values);
      const spread = () => meanOf(values.map((value) => (value - middle) ** 2));
      return [q, order === "worst" ? middle : order === "best" ? -middle : -spread()];
    }),
  );
  const isScored = (q: number) => !Number.isNaN(keys.get(q));
  const scored = found.filter(isScored).sort((a, b) => keys.get(a)! - keys.get(b)! || a - b);
  return [...scored, ...found.filter((q) => !isScored(q))];
}

/** NaN of no values. */
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
