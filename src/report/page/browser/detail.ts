import type { PackedAnswer, PackedQuestion, PackedRun, PackedTranscript } from "../packed.js";
import { addressOf, armOf, besideOf, markOf, scoreText } from "./answers.js";
import { byId, element, inflate } from "./dom.js";

/** Opens the compressed transcripts of the page, one chunk at a time, and keeps the last one. */
function transcriptReader({ chunks }: PackedRun): (index: number) => Promise<PackedTranscript | undefined> {
  let [kept, list]: [number, Promise<readonly PackedTranscript[]>] = [-1, Promise.resolve([])];
  return async (index) => {
    const chunk = chunks.findLastIndex((start) => start <= index);
    if (chunk === -1 || index < 0) return undefined;
    if (chunk !== kept) [kept, list] = [chunk, inflate(`chunk-${chunk}`)];
    return (await list)[index - chunks[chunk]!];
  };
}

/** Shows an answer with its transcript, and on its left another method's. */
type Open = (question: PackedQuestion, answer: PackedAnswer) => void;

/** The dialog of one question: what was asked, what came back, how, and what the other methods made of it. */
export function detailOf(run: PackedRun, onClose: () => void): Open {
  const dialog = byId("detail", HTMLDialogElement);
  const transcriptAt = transcriptReader(run);
  dialog.addEventListener("close", onClose);
  const sideOf = (question: PackedQuestion, answer: PackedAnswer): HTMLElement => {
    const [body, prepared] = [element("div", {}, "…"), element("div", {}, "…")];
    void fill(body, transcriptAt(answer.transcript), "Nothing was recorded for this question.");
    const summary = element("summary", {}, "What was prepared for the user before the first question");
    const details = element("details", {}, summary, prepared);
    const load = () =>
      void fill(prepared, transcriptAt(answer.preparation), "Nothing: this method prepares nothing for a user.");
    details.addEventListener("toggle", load, { once: true });
    const title = element("h4", {}, armOf(run, answer)?.label ?? "");
    return element("section", { class: "side" }, title, verdictOf(run, question, answer), body, details);
  };
  const open: Open = (question, answer) => {
    const beside = besideOf(question, answer);
    const close = element("button", { type: "button", class: "close", "aria-label": "Close the transcripts" }, "×");
    close.addEventListener("click", () => dialog.close());
    const title = `${run.tasks[question.task]} · ${question.id} · user ${question.user}`;
    const link = element("a", { href: `#row=${addressOf(question, answer)}`, title: "address of this answer" }, "link");
    const sides = [beside, answer].flatMap((one) => (one === undefined ? [] : [sideOf(question, one)]));
    dialog.replaceChildren(
      element("div", { class: "detail-title" }, element("h3", { id: "detail-title" }, title), link, close),
      element("p", { class: "others" }, "Open ", ...othersOf(question, answer)),
      element("div", { class: "sides" }, ...sides),
    );
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };
  /** A button for each method that answered the question. */
  const othersOf = (question: PackedQuestion, answer: PackedAnswer): HTMLElement[] =>
    question.answers.map((other) => {
      const text = `${armOf(run, other)?.label} ${scoreText(other.value)}`;
      const button = element("button", { type: "button", "aria-pressed": String(other === answer) }, text);
      button.addEventListener("click", () => open(question, other));
      return button;
    });
  return open;
}

function verdictOf(run: PackedRun, { gold }: PackedQuestion, answer: PackedAnswer): HTMLElement {
  const fact = (title: string, text: string, kind = "") =>
    element("div", {}, element("dt", {}, title), element("dd", { class: kind }, text));
  const { kind, text, reading, value } = answer;
  const mark = markOf(run, answer);
  return element(
    "dl",
    { class: "verdict" },
    fact("gold", gold ?? "none"),
    fact(kind === "failed" ? "error" : "reply", text === "" ? "(empty)" : text),
    ...(kind === "failed" ? [] : [fact("lenient reading", reading ?? "nothing found")]),
    fact(armOf(run, answer)?.metric?.name ?? "score", scoreText(value)),
    fact("verdict", mark, `mark ${mark}`),
  );
}

async function fill(into: HTMLElement, asked: Promise<PackedTranscript | undefined>, nothing: string): Promise<void> {
  const { groups, cost } = (await asked) ?? { groups: [], cost: "" };
  into.replaceChildren(
    ...(cost === "" ? [] : [element("p", { class: "context" }, cost)]),
    ...(groups.length === 0 ? [element("p", { class: "context" }, nothing)] : []),
    ...groups.map((group) =>
      element(
        "section",
        { class: "group" },
        ...group.flatMap(([title, text]) =>
          text === undefined
            ? [element("h5", {}, title)]
            : [element("p", { class: "label" }, title), element("pre", { class: kindOf(title), tabindex: "0" }, text)],
        ),
      ),
    ),
  );
}

/** For its color: who speaks. */
function kindOf(title: string): string {
  if (/^(system|user|question)\b/.test(title)) return "asked";
  return /^(observation|tool|retrieved|memory|feedback)\b/.test(title) ? "found" : "said";
}
