import { byId, element } from "./dom.js";
import { answersOf, markOf, placeOf, type Run } from "./run.js";

interface Matrix {
  /** Shows these questions of a task, from the top. */
  show(task: number, questions: readonly number[]): void;
  /** Marks an answer and brings it into view. */
  select(answer: number): void;
  /** Moves the mark by so many lines and columns, and returns the answer there. */
  move(lines: number, columns: number): number | undefined;
  readonly selected: number | undefined;
}

/** Pixels; the style sheet has the same. */
const LINE_HEIGHT = 30;
const EXTRA_LINES = 10;
/** Columns before those of the methods. */
const TITLES = ["question", "user", "asked", "gold"];

/** One line a question, one column a method. Only the lines in view are elements. */
export function matrixOf(run: Run, onOpen: (answer: number) => void): Matrix {
  const grid = byId("rows-grid", HTMLDivElement);
  const body = byId("rows-body", HTMLDivElement);
  const titles = byId("rows-titles", HTMLDivElement);
  let questions: readonly number[] = [];
  let arms: readonly number[] = [];
  let largest = 1;
  let [line, column] = [-1, 0];
  /** The answer in a place; where the method has none, the first of the question. */
  const answerAt = (l: number, c: number): number | undefined => {
    const answers = questions[l] === undefined ? [] : answersOf(run, questions[l]);
    return answers.find((a) => placeOf(run, a) === arms[c]) ?? answers[0];
  };
  const draw = (): void => {
    const first = Math.max(0, Math.floor(grid.scrollTop / LINE_HEIGHT) - EXTRA_LINES);
    const last = Math.min(
      questions.length,
      Math.ceil((grid.scrollTop + grid.clientHeight) / LINE_HEIGHT) + EXTRA_LINES,
    );
    body.style.height = `${questions.length * LINE_HEIGHT}px`;
    const lines: Node[] = [];
    for (let l = first; l < last; l++)
      lines.push(lineOf(run, questions[l]!, { line: l, arms, largest, column: l === line ? column : undefined }));
    body.replaceChildren(...lines);
    if (line === -1) grid.removeAttribute("aria-activedescendant");
    else grid.setAttribute("aria-activedescendant", `cell-${line}-${column}`);
  };
  const mark = (l: number, c: number): void => {
    [line, column] = [l, c];
    if (l === -1) return;
    const head = titles.offsetHeight;
    const top = l * LINE_HEIGHT;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top + LINE_HEIGHT + head > grid.scrollTop + grid.clientHeight)
      grid.scrollTop = top + LINE_HEIGHT + head - grid.clientHeight;
  };
  grid.addEventListener("scroll", draw, { passive: true });
  addEventListener("resize", draw);
  body.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : body;
    const l = Number(target.closest<HTMLElement>("[data-line]")?.dataset.line ?? -1);
    const answer = answerAt(l, Number(target.closest<HTMLElement>("[data-column]")?.dataset.column ?? 0));
    if (answer !== undefined) onOpen(answer);
  });
  return {
    show(task, next) {
      const marked = questions[line];
      questions = next;
      arms = run.arms.flatMap((arm, a) => (arm.task === task ? [a] : []));
      largest = run.value.reduce<number>(
        (most, value, a) => (run.questions[run.question[a]!]?.task === task ? Math.max(most, value ?? 0) : most),
        1,
      );
      grid.style.setProperty("--methods", String(arms.length));
      grid.setAttribute("aria-rowcount", String(questions.length + 1)); // the titles are a row too
      titles.replaceChildren(
        ...[...TITLES, ...arms.map((arm) => run.arms[arm]?.label ?? "")].map((title, t) =>
          element("span", { role: "columnheader", class: t < TITLES.length ? title : "method" }, title),
        ),
      );
      mark(marked === undefined ? -1 : questions.indexOf(marked), column);
      if (line === -1) grid.scrollTop = 0;
      draw();
    },
    select(answer) {
      mark(questions.indexOf(run.question[answer]!), Math.max(0, arms.indexOf(placeOf(run, answer))));
      draw();
    },
    move(lines, columns) {
      if (questions.length === 0) return undefined;
      const within = (value: number, end: number): number => Math.min(end - 1, Math.max(0, value));
      mark(within(line === -1 ? 0 : line + lines, questions.length), within(column + columns, arms.length));
      draw();
      return answerAt(line, column);
    },
    get selected() {
      return answerAt(line, column);
    },
  };
}

/** Characters of a text in a cell; the whole of it is in the transcript. */
const SHOWN_CHARS = 160;

interface Placed {
  readonly line: number;
  readonly arms: readonly number[];
  /** Largest error of the task. */
  readonly largest: number;
  /** The marked column of the marked line. */
  readonly column: number | undefined;
}

function lineOf(run: Run, q: number, { line, arms, largest, column }: Placed): HTMLElement {
  const question = run.questions[q]!; // a place in the list
  const answers = answersOf(run, q);
  const short = (text: string | undefined) => (text ?? "–").replace(/\s+/g, " ").slice(0, SHOWN_CHARS);
  const cell = (kind: string, ...texts: (Node | string)[]) =>
    element("span", { role: "gridcell", class: kind }, ...texts);
  const made = element(
    "div",
    { role: "row", class: "line", "aria-rowindex": String(line + 2), "data-line": String(line) },
    cell("question", `${question.id}${question.repeat === 0 ? "" : ` #${question.repeat + 1}`}`),
    cell("user", run.users[question.user] ?? ""),
    cell("asked", short(question.asked)),
    cell("gold", short(run.texts[question.gold])),
    ...arms.map((arm, c) => {
      const answer = answers.find((a) => placeOf(run, a) === arm);
      const attributes = { id: `cell-${line}-${c}`, "data-column": String(c), "aria-selected": String(c === column) };
      if (answer === undefined) return element("span", { role: "gridcell", class: "method", ...attributes });
      const { sign, kind, name } = signOf(run, answer, largest);
      const reply = element("span", { class: "reply" }, short(run.texts[run.reply[answer]!]));
      const mark = element("b", { class: `mark ${kind}`, "aria-label": name }, sign);
      return element("span", { role: "gridcell", class: "method", ...attributes }, mark, reply);
    }),
  );
  made.style.top = `${line * LINE_HEIGHT}px`;
  return made;
}

const SHADES = 4;

/** What stands for an answer, with its colour: right or wrong of labels, the error of ratings, the score of texts. */
function signOf(run: Run, answer: number, largest: number): { sign: string; kind: string; name: string } {
  const mark = markOf(run, answer);
  const signs: Readonly<Record<string, string>> = { right: "✓", wrong: "✗", unparsed: "?", failed: "!" };
  const value = run.value[answer];
  const metric = run.arms[placeOf(run, answer)]?.metric;
  if (mark === "wrong" && metric?.better === "lower" && typeof value === "number")
    return {
      sign: `±${value}`,
      kind: `error-${Math.ceil((SHADES * value) / largest)}`,
      name: `wrong by ${value}`,
    };
  if (mark !== "–" || typeof value !== "number") return { sign: signs[mark] ?? "–", kind: mark, name: mark };
  const error = metric?.better === "lower" ? value / largest : 1 - value;
  const score = value.toFixed(2).replace(/^0/, "");
  return { sign: score, kind: `error-${Math.ceil(SHADES * error)}`, name: `${metric?.name} ${score}` };
}
