import type { PackedPassage, PackedTranscript } from "../packed.js";
import type { Chunks } from "./chunks.js";
import { byId, element } from "./dom.js";
import { personaVersions } from "./personas.js";
import { answerId, answersOf, armOf, markOf, type Run, scoreText } from "./run.js";

interface Detail {
  /** `beside`: another answer to the same question, whose transcript stands on the left. */
  open(answer: number, beside?: number): void;
  close(): void;
  readonly answer: number | undefined;
  readonly beside: number | undefined;
}

/** The panel of one question: what was asked, what came back, how, and what the other methods made of it. */
export function detailPanel(run: Run, chunks: Chunks, onOpen: (answer: number, beside?: number) => void): Detail {
  const panel = byId("detail", HTMLElement);
  let answer: number | undefined;
  let beside: number | undefined;
  const sideOf = (of: number): HTMLElement => {
    const transcript = element("div", { class: "transcript", "aria-busy": "true" }, "…");
    void fill(transcript, chunks.transcript("answer", of), "Nothing was recorded for this question.");
    const title = element("h4", {}, armOf(run, of)?.label ?? "");
    return element("section", { class: "side" }, title, verdict(run, of), transcript, preparationOf(run, of, chunks));
  };
  return {
    open(next, other) {
      [answer, beside] = [next, other];
      panel.replaceChildren(
        titleOf(run, next),
        others(run, next, onOpen),
        element("div", { class: "sides" }, ...[other, next].flatMap((one) => (one === undefined ? [] : [sideOf(one)]))),
      );
      panel.scrollTop = 0;
      document.body.classList.add("detail-open");
    },
    close() {
      [answer, beside] = [undefined, undefined];
      panel.replaceChildren();
      document.body.classList.remove("detail-open");
    },
    get answer() {
      return answer;
    },
    get beside() {
      return beside;
    },
  };
}

function passages(groups: readonly (readonly PackedPassage[])[]): HTMLElement[] {
  return groups.map((group) =>
    element(
      "section",
      { class: "group" },
      ...group.flatMap(([title, text]) =>
        text === undefined
          ? [element("h5", {}, title)]
          : [element("p", { class: "label" }, title), element("pre", { class: kindOf(title), tabindex: "0" }, text)],
      ),
    ),
  );
}

function titleOf(run: Run, answer: number): HTMLElement {
  const question = run.questions[run.question[answer]!]!; // an answer has a question
  const title = `${run.tasks[question.task]} · ${question.id} · user ${run.users[question.user]}`;
  return element(
    "div",
    { class: "detail-title" },
    element("h3", { id: "detail-title" }, title),
    element(
      "a",
      { href: `#row=${answerId(run, answer)}`, title: "address of this answer, to share with the file" },
      "link",
    ),
    element("button", { type: "button", class: "close", "aria-label": "Close the transcripts (Esc)" }, "×"),
  );
}

function verdict(run: Run, answer: number): HTMLElement {
  const fact = (title: string, text: string, kind = "") =>
    element("div", {}, element("dt", {}, title), element("dd", { class: kind }, text));
  const text = (index: number | undefined) => run.texts[index ?? -1];
  const gold = text(run.questions[run.question[answer]!]?.gold);
  const [reply, reading] = [text(run.reply[answer]), text(run.reading[answer])];
  const isFailed = run.kind[answer] === "f";
  return element(
    "dl",
    { class: "verdict" },
    fact("gold", gold ?? "none", "text"),
    fact(isFailed ? "error" : "reply", reply === "" ? "(empty)" : (reply ?? ""), "text"),
    ...(isFailed ? [] : [fact("lenient reading", reading ?? "nothing found", "text")]),
    fact(armOf(run, answer)?.metric?.name ?? "score", scoreText(run.value[answer])),
    fact("verdict", markOf(run, answer), `mark ${markOf(run, answer)}`),
  );
}

/** The replies of all methods to the question: each opens beside the first. */
function others(run: Run, answer: number, onOpen: (answer: number, beside?: number) => void): HTMLElement {
  const found = answersOf(run, run.question[answer]!);
  const lines = found.map((other) => {
    const button = element("button", { type: "button" }, armOf(run, other)?.label ?? "");
    button.addEventListener("click", () => onOpen(other));
    const reply = (run.texts[run.reply[other]!] ?? "").replace(/\s+/g, " ").slice(0, 200);
    const mark = element("span", { class: `mark ${markOf(run, other)}` }, markOf(run, other));
    return element("li", {}, button, mark, ` ${scoreText(run.value[other])} `, element("q", {}, reply));
  });
  const summary = element("summary", {}, `The replies of all ${found.length} methods`);
  return element("details", { class: "others" }, summary, element("ul", {}, ...lines));
}

/** Opened when asked for: it is as long as everything else together. */
function preparationOf(run: Run, answer: number, chunks: Chunks): HTMLElement {
  const unit = run.unit[answer] ?? -1;
  const body = element("div", { class: "transcript" }, "…");
  const summary = element("summary", {}, "What was prepared for the user before the first question");
  const details = element("details", { class: "preparation" }, summary, body);
  const load = () =>
    void fill(body, chunks.transcript("unit", unit), "Nothing: this method prepares nothing for a user.");
  details.addEventListener("toggle", load, { once: true });
  return details;
}

async function fill(into: HTMLElement, asked: Promise<PackedTranscript | undefined>, nothing: string): Promise<void> {
  const transcript = await asked;
  into.removeAttribute("aria-busy");
  const cost = [...(transcript?.spend ?? []), ...(transcript?.incidents ?? [])].join("; ");
  into.replaceChildren(
    ...(cost === "" ? [] : [element("p", { class: "context" }, cost)]),
    ...(transcript?.personas === undefined ? [] : [personaVersions(transcript.personas)]),
    ...passages(transcript?.groups ?? []),
    ...(transcript === undefined || transcript.groups.length === 0 ? [element("p", { class: "empty" }, nothing)] : []),
  );
}

/** For its color: who speaks. */
function kindOf(title: string): string {
  if (/^(system|user|question)\b/.test(title)) return "asked";
  if (/^(observation|tool|retrieved|memory|feedback)\b/.test(title)) return "found";
  return "said";
}
