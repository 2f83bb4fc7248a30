import type { PackedPassage, PackedRows, PackedTranscript } from "../packed.js";
import type { Chunks } from "./chunks.js";
import { byId, element } from "./dom.js";
import { armOf, sameQuestion } from "./filter.js";
import { markOf, scoreText } from "./list.js";
import { personaVersions } from "./personas.js";

interface Detail {
  /** `beside`: another answer to the same question, whose transcript stands next to it. */
  open(row: number, beside?: number): void;
  close(): void;
  readonly row: number | undefined;
  readonly beside: number | undefined;
}

const NOTHING_OPEN = "Choose a row: click it, or press j and Enter.";

/** The panel of one row: what was asked, what came back, how, and what the other methods made of it. */
export function detailPanel(rows: PackedRows, chunks: Chunks, onOpen: (row: number, beside?: number) => void): Detail {
  const panel = byId("detail", HTMLElement);
  let row: number | undefined;
  let beside: number | undefined;
  const sideOf = (of: number): HTMLElement[] => {
    const transcript = element("div", { class: "transcript", "aria-busy": "true" }, "…");
    void fill(transcript, chunks.transcript("row", of), "Nothing was recorded for this question.");
    return [transcript, preparationOf(rows, of, chunks)];
  };
  return {
    open(next, other) {
      [row, beside] = [next, other];
      const around = [titleOf(rows, next), ...(other === undefined ? [verdict(rows, next)] : [])];
      const sides = other === undefined ? sideOf(next) : [bothSides(rows, [next, other], sideOf)];
      panel.replaceChildren(...around, others(rows, next, onOpen), ...sides);
      panel.scrollTop = 0;
      document.body.classList.add("detail-open");
      document.body.classList.toggle("detail-both", other !== undefined);
    },
    close() {
      [row, beside] = [undefined, undefined];
      panel.replaceChildren(element("p", { class: "empty" }, NOTHING_OPEN));
      document.body.classList.remove("detail-open", "detail-both");
    },
    get row() {
      return row;
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
          ? [element("h4", {}, title)]
          : [element("h5", {}, title), element("pre", { class: kindOf(title) }, text)],
      ),
    ),
  );
}

/** `cell/question`: the same in every report of the run. */
export const rowId = (rows: PackedRows, row: number): string =>
  `${encodeURIComponent(rows.cells[rows.cell[row]!]?.id ?? "")}/${encodeURIComponent(rows.questions[rows.question[row]!] ?? "")}`;

export function rowOf(rows: PackedRows, id: string): number | undefined {
  const [cell, question] = id.split("/").map(decodeURIComponent);
  const [c, q] = [rows.cells.findIndex((one) => one.id === cell), rows.questions.indexOf(question ?? "")];
  const found = rows.question.findIndex((number, r) => number === q && rows.cell[r] === c);
  return found === -1 ? undefined : found;
}

const titleOf = (rows: PackedRows, row: number): HTMLElement =>
  element(
    "div",
    { class: "detail-title" },
    element(
      "h3",
      { id: "detail-title" },
      `${armOf(rows, row)?.task} · ${armOf(rows, row)?.label} · ${rows.questions[rows.question[row]!]}`,
    ),
    element("a", { href: `#row=${rowId(rows, row)}`, title: "address of this row, to share with the file" }, "link"),
    element("button", { type: "button", class: "close", "aria-label": "Close the transcript (Esc)" }, "×"),
  );

function verdict(rows: PackedRows, row: number): HTMLElement {
  const arm = armOf(rows, row);
  const fact = (title: string, text: string, kind = "") =>
    element("div", {}, element("dt", {}, title), element("dd", { class: kind }, text));
  const text = (index: number | undefined) => rows.texts[index ?? -1];
  const [gold, reply, reading] = [text(rows.gold[row]), text(rows.reply[row]), text(rows.reading[row])];
  const isFailed = rows.kind[row] === "f";
  return element(
    "dl",
    { class: "verdict" },
    fact("user", rows.users[rows.user[row]!] ?? ""),
    fact("gold", gold ?? "none", "text"),
    fact(isFailed ? "error" : "reply", reply === "" ? "(empty)" : (reply ?? ""), "text"),
    ...(isFailed ? [] : [fact("lenient reading", reading ?? "nothing found", "text")]),
    fact(arm?.metric?.name ?? "score", scoreText(rows.value[row])),
    fact("verdict", markOf(rows, row), `mark ${markOf(rows, row)}`),
  );
}

/** Two answers to one question, each with its transcript, next to each other. */
function bothSides(rows: PackedRows, both: readonly number[], sideOf: (row: number) => HTMLElement[]): HTMLElement {
  const sides = both.map((row) =>
    element(
      "section",
      { class: "side" },
      element("h4", {}, armOf(rows, row)?.label ?? ""),
      verdict(rows, row),
      ...sideOf(row),
    ),
  );
  return element("div", { class: "sides" }, ...sides);
}

/** The replies of the other methods to the same question. */
function others(rows: PackedRows, row: number, onOpen: (row: number, beside?: number) => void): HTMLElement {
  const found = [...sameQuestion(rows, row)].filter(([, other]) => other !== row);
  if (found.length === 0) return element("div");
  return element(
    "details",
    { class: "others", open: "" },
    element("summary", {}, "The same question by other methods"),
    element(
      "ul",
      {},
      ...found.map(([label, other]) => {
        const button = element("button", { type: "button" }, label);
        button.addEventListener("click", () => onOpen(other));
        const both = element("button", { type: "button", class: "both" }, "side by side");
        both.addEventListener("click", () => onOpen(row, other));
        const reply = (rows.texts[rows.reply[other]!] ?? "").replace(/\s+/g, " ").slice(0, 200);
        return element(
          "li",
          {},
          button,
          element("span", { class: `mark ${markOf(rows, other)}` }, markOf(rows, other)),
          ` ${scoreText(rows.value[other])} `,
          element("q", {}, reply),
          " ",
          both,
        );
      }),
    ),
  );
}

/** Opened when asked for: it is as long as everything else together. */
function preparationOf(rows: PackedRows, row: number, chunks: Chunks): HTMLElement {
  const unit = rows.unit[row] ?? -1;
  const body = element("div", { class: "transcript" }, "…");
  const details = element(
    "details",
    { class: "preparation" },
    element("summary", {}, `What was prepared for user ${rows.users[rows.user[row]!]} before the first question`),
    body,
  );
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
