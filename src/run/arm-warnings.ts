import { stripVTControlCharacters } from "node:util";
import type { Row } from "../types/index.js";
import type { Arm } from "./plan/types.js";

/** So many replies of an arm, all of which cannot be used, tell what the rest will be like. */
const FIRST_REPLIES = 20;
/** Characters of a quoted reply. */
const LONGEST_QUOTE = 120;
/** Counted where a reply was stopped by its token limit. */
const CUT = ["answer-cut", "agent-reply-cut"];

/** Warns, once an arm, where its first replies are all unparsed or all cut at their limit of tokens. */
export class ArmWarnings {
  readonly #arms: ReadonlyMap<string, { readonly title: string; replies: number; unparsed: number; cut: number }>;
  readonly #warn: (line: string) => void;

  constructor(arms: readonly Arm[], warn: (line: string) => void) {
    this.#arms = new Map(
      arms.map(({ cell }) => [cell.id, { title: armTitle(cell, arms), replies: 0, unparsed: 0, cut: 0 }]),
    );
    this.#warn = warn;
  }

  add({ cell, question, outcome, incidents }: Row): void {
    const arm = this.#arms.get(cell);
    if (arm === undefined || outcome.kind === "failed" || arm.replies >= FIRST_REPLIES) return;
    arm.replies += 1;
    if (outcome.kind === "unparsed") arm.unparsed += 1;
    if (CUT.some((incident) => (incidents[incident] ?? 0) > 0)) arm.cut += 1;
    if (arm.replies < FIRST_REPLIES) return;
    const found = wordsOf(arm);
    if (found === undefined) return;
    this.#warn(
      `${arm.title}: all of the first ${FIRST_REPLIES} replies ${found.what}, for example question ${question}: ${quoted(outcome.reply)}; ${found.fix}`,
    );
  }
}

/** Task, method and what tells the arm from others of its method. */
export function armTitle(cell: Arm["cell"], arms: readonly Arm[]): string {
  const settings = ({ model, options }: Arm["cell"]) => ({ model, ...options }) as Arm["cell"]["options"];
  const peers = arms.filter((arm) => arm.cell.task === cell.task && arm.cell.method === cell.method);
  const apart = Object.entries(settings(cell)).filter(([name, value]) =>
    peers.some((peer) => settings(peer.cell)[name] !== value),
  );
  return [
    cell.task,
    cell.method,
    ...apart.map(([name, value]) => `${name}=${value}`),
    cell.repeat > 0 ? `#${cell.repeat + 1}` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

function wordsOf({ unparsed, cut }: { readonly unparsed: number; readonly cut: number }) {
  if (cut === FIRST_REPLIES)
    return {
      what: "were cut at their limit of tokens",
      fix: "give more room with --set model.answerTokens=4096, or less thinking with --set model.effort=low",
    };
  if (unparsed === FIRST_REPLIES)
    return { what: "are unparsed", fix: "take a model that follows the prompt's instructions, or change the prompt" };
  return undefined;
}

/** In one line, without control signs. */
function quoted(reply: string): string {
  const text = stripVTControlCharacters(reply)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return text === ""
    ? "an empty reply"
    : `"${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}"`;
}
