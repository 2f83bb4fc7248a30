import { CHUNK, type PageAnswer, type PageQuestion, type PageRun, type PageTranscript } from "../data.js";
import { armOf, besideOf, markOf, scoreText } from "./answers.js";

/** A new element. Texts become text nodes: nothing that a model said is ever read as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Content of a compressed part of the page. */
export async function inflate<T>(id: string): Promise<T> {
  const packed = document.getElementById(id)?.textContent ?? "";
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** Opens the dialog of one answer, with another method's on its left. */
export function openDetail(run: PageRun, question: PageQuestion, answer: PageAnswer): void {
  const dialog = document.querySelector<HTMLDialogElement>("#detail")!;
  const close = element("button", { type: "button", class: "close", "aria-label": "Close the transcripts" }, "×");
  close.addEventListener("click", () => dialog.close());
  const title = `${run.tasks[question.task]} · ${question.id} · user ${question.user}`;
  const others = question.answers.map((other) => {
    const text = `${armOf(run, other)?.label} ${scoreText(other.value)}`;
    const button = element("button", { type: "button", "aria-pressed": String(other === answer) }, text);
    button.addEventListener("click", () => openDetail(run, question, other));
    return button;
  });
  const beside = besideOf(question, answer);
  const sides = (beside === undefined ? [answer] : [beside, answer]).map((one) => sideOf(run, question, one));
  dialog.replaceChildren(
    element("div", { class: "detail-title" }, element("h3", { id: "detail-title" }, title), close),
    element("p", { class: "others" }, "Open ", ...others),
    element("div", { class: "sides" }, ...sides),
  );
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function sideOf(run: PageRun, question: PageQuestion, answer: PageAnswer): HTMLElement {
  const [body, prepared] = [element("div", {}, "…"), element("div", {}, "…")];
  void fill(body, answer.transcript, "Nothing was recorded for this question.");
  const summary = element("summary", {}, "What was prepared for the user before the first question");
  const details = element("details", {}, summary, prepared);
  const load = () => void fill(prepared, answer.preparation, "Nothing: this method prepares nothing for a user.");
  details.addEventListener("toggle", load, { once: true });
  const title = element("h4", {}, armOf(run, answer)?.label ?? "");
  return element("section", { class: "side" }, title, factsOf(run, question, answer), body, details);
}

function factsOf(run: PageRun, { gold }: PageQuestion, answer: PageAnswer): HTMLElement {
  const fact = (title: string, text: string, kind = "") =>
    element("div", {}, element("dt", {}, title), element("dd", { class: kind, tabindex: "0" }, text));
  const { kind, text, reading, value } = answer;
  const mark = markOf(run, answer);
  const shown = [
    fact("gold", gold ?? "none"),
    fact(kind === "failed" ? "error" : "reply", text === "" ? "(empty)" : text),
    ...(kind === "failed" ? [] : [fact("lenient reading", reading ?? "nothing found")]),
    fact(armOf(run, answer)?.metric?.name ?? "score", scoreText(value)),
    fact("verdict", mark, mark),
  ];
  return element("dl", { class: "verdict" }, ...shown);
}

/** Shows a transcript; `nothing` is said where it has no part. */
async function fill(into: HTMLElement, transcript: number, nothing: string): Promise<void> {
  const chunk = await inflate<PageTranscript[]>(`chunk-${Math.floor(transcript / CHUNK)}`);
  const { groups, cost } = chunk[transcript % CHUNK]!;
  const line = (text: string) => element("p", { class: "context" }, text);
  const shown = groups.map((group) =>
    group.flatMap(([title, text]) =>
      text === undefined
        ? [element("h5", {}, title)]
        : [element("p", { class: "label" }, title), element("pre", { class: kindOf(title), tabindex: "0" }, text)],
    ),
  );
  into.replaceChildren(
    ...(cost === "" ? [] : [line(cost)]),
    ...(groups.length === 0 ? [line(nothing)] : []),
    ...shown.map((parts) => element("section", { class: "group" }, ...parts)),
  );
}

/** For its color: who speaks. */
function kindOf(title: string): string {
  if (/^(system|user|question)\b/.test(title)) return "asked";
  return /^(observation|tool|retrieved|memory|feedback)\b/.test(title) ? "found" : "said";
}
