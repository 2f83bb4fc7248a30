import { stripVTControlCharacters } from "node:util";
import { dataOptions } from "../data/options.js";
import { judgeOptions } from "../judges/options.js";
import { modelKnob, modelRoles, serverKnob } from "../registry/further-models.js";
import type { OptionTable, Row } from "../types/index.js";
import { armTitle } from "./plan/arms.js";
import { controlOptions } from "./plan/controls.js";
import { modelOptions, runOptions, serverOptions } from "./plan/options.js";
import type { Arm, Plan } from "./plan/types.js";

/** So many replies of an arm, all of which cannot be used, tell what the rest will be like. */
const FIRST_REPLIES = 20;
/** Characters of a quoted reply. */
const LONGEST_QUOTE = 120;
/** Counted where a reply was stopped by its token limit. */
const CUT = ["answer-cut", "agent-reply-cut"];

/** Returns what is told of every row: warns, once an arm, where its first replies are all unparsed or all cut at their limit of tokens. */
export function armWarner(arms: readonly Arm[], warn: (line: string) => void): (row: Row) => void {
  const counts = new Map(arms.map(({ cell }) => [cell.id, { cell, replies: 0, unparsed: 0, cut: 0 }]));
  return ({ cell: id, question, outcome, incidents }) => {
    const arm = counts.get(id);
    if (arm === undefined || outcome.kind === "failed" || arm.replies >= FIRST_REPLIES) return;
    arm.replies += 1;
    if (outcome.kind === "unparsed") arm.unparsed += 1;
    if (CUT.some((incident) => (incidents[incident] ?? 0) > 0)) arm.cut += 1;
    if (arm.replies < FIRST_REPLIES || Math.max(arm.unparsed, arm.cut) < FIRST_REPLIES) return;
    const [found, fix] =
      arm.cut === FIRST_REPLIES
        ? [
            "were cut at their limit of tokens",
            "give more room with --set model.answerTokens=4096, or less thinking with --set model.effort=low",
          ]
        : ["are unparsed", "take a model that follows the prompt's instructions, or change the prompt"];
    const reply = stripVTControlCharacters(outcome.reply)
      .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ")
      .trim();
    warn(
      `${armTitle(arm.cell, arms)}: all of the first ${FIRST_REPLIES} replies ${found}, for example question ${question}: "${reply.length > LONGEST_QUOTE ? `${reply.slice(0, LONGEST_QUOTE)}…` : reply}"; ${fix}`,
    );
  };
}

/**
 * Returns a line for the options that the person wrote and that do nothing: no method of the run has them, a method's other settings
 * leave them without use, or no method asks the further model that they name. Options of presets are passed over.
 */
export function unusedOptions({ written, sweep, set }: Plan, arms: readonly Arm[]): string[] {
  const methods = [...new Map(arms.map(({ method }) => [method.name, method])).values()];
  const tables: readonly OptionTable[] = [
    ...[dataOptions, runOptions, modelOptions, serverOptions, judgeOptions, controlOptions],
    ...methods.map(({ options }) => options),
  ];
  const further: readonly string[] = modelRoles.flatMap((role) => [modelKnob(role), serverKnob(role)]);
  const isInCell = (name: string, of = arms): boolean => of.some(({ cell }) => name in cell.options);
  const nowhere = written.filter(
    (name) => !tables.some((table) => name in table) || (further.includes(name) && set[name] !== "" && !isInCell(name)),
  );
  const varied = [...new Set([...written, ...Object.keys(sweep?.axes ?? {})])];
  const idle = methods.flatMap(({ name: method, options }) => {
    const mine = arms.filter((arm) => arm.method.name === method);
    const names = varied.filter((name) => name in options && !isInCell(name, mine));
    return names.length === 0 ? [] : [`no effect on ${method} as it is set: ${names.join(", ")}`];
  });
  return [...(nowhere.length === 0 ? [] : [`no effect on the chosen methods: ${nowhere.join(", ")}`]), ...idle];
}
