import { compareIfAny } from "../../results/compare.js";
import { isSignificant, MIN_USERS } from "../../results/inference.js";
import { tasks } from "../../tasks/index.js";
import { countOf } from "../../text/count.js";
import type { Cell } from "../../types/index.js";
import { type Claim, matches, type PaperTable } from "../papers/paper.js";
import { commonLines, jaccardMatrix, jaccardReport, spreadText } from "../personas/jaccard.js";
import { dash } from "../table.js";
import { formatP, formatScore } from "../tables/format.js";
import type { OwnArm } from "./own-arm.js";

interface Finding {
  readonly holds: boolean;
  /** Neither shown nor refuted. */
  readonly open?: true;
  /** The numbers that it rests on, one line each. */
  readonly evidence: readonly string[];
  /** The part of the claim's subject that the runs lack. */
  readonly without?: readonly string[];
  /** Of the differences that it rests on, those significant at .05 in the claimed direction, each by itself. */
  readonly significant?: { readonly count: number; readonly of: number };
}

export interface CheckedClaim extends Pick<Claim, "text" | "source"> {
  /** What the runs must hold for it. */
  readonly needs: string;
  /** Undefined: the runs lack what the claim needs. */
  readonly finding: Finding | undefined;
}

type Side = Claim["better"];
type Columns = readonly { readonly task: string; readonly metric: string }[];

/** Checks a claim on own arms. A claim that names no columns is about those of its table. */
export function checkClaim(claim: Claim, table: PaperTable, arms: readonly OwnArm[]): CheckedClaim {
  const columns = table.columns.filter(({ metric }) => claim.metrics?.includes(metric) ?? true);
  const { text, source } = claim;
  return { text, source, needs: needsOf(claim, table), finding: findingOf(claim, columns, arms) };
}

function findingOf(claim: Claim, columns: Columns, arms: readonly OwnArm[]): Finding | undefined {
  if (claim.option !== undefined) return alongOption(claim, columns, arms);
  if (claim.incidents !== undefined) return incidents(claim, arms);
  if (claim.personas !== undefined) return personas(claim.personas, arms);
  return betterThan(claim, columns, arms);
}

function needsOf(claim: Claim, table: PaperTable): string {
  const { than, option, beyond, across } = claim;
  const on = [...new Set(table.columns.map(({ task }) => task))].join(" or ") || table.task;
  const better = sideText(claim.better, across);
  if (claim.incidents !== undefined) return `${better} on any task`;
  if (claim.personas !== undefined) return `an arm with personas on ${on}, two users or more`;
  if (option === undefined) return `${better} and ${sideText(than, across)} on ${on}`;
  const least = beyond === undefined ? "" : `, one of them ${beyond} and one above`;
  return `${better} on ${on} with two or more values of ${option}${least}`;
}

/** `persona-agent with Claude-3.7 (e.g. anthropic/...)`. */
function sideText({ methods = [], models = [] }: Side, across: boolean): string {
  const method = methods.length > 1 ? `one of ${methods.join(", ")}` : (methods[0] ?? "another arm");
  const named = models.map(({ label, example }) => (example === undefined ? label : `${label} (e.g. ${example})`));
  if (named.length === 0) return across && methods.length > 0 ? `${method} with another model` : method;
  return `${method} with ${named.join(" or ")}`;
}

const isOn = ({ methods, models }: Side, { cell }: OwnArm): boolean =>
  (methods?.includes(cell.method) ?? true) && (models?.some(({ ids }) => matches(ids, cell.model)) ?? true);

/** That one side is better than the other by every column: than its best arm, or than each; with one model where the sides name none. */
function betterThan({ better, than, each, across }: Claim, columns: Columns, arms: readonly OwnArm[]) {
  const pairs = columns.flatMap(({ task, metric }) => {
    const on = arms.filter(({ cell }) => cell.task === task);
    const rivals = on.filter((arm) => isOn(than, arm));
    const several = new Set(on.map(({ cell }) => cell.model)).size > 1;
    return on
      .filter((arm) => isOn(better, arm))
      .flatMap((arm): Pair[] => {
        const others = rivals.filter((one) => one !== arm && (across || one.cell.model === arm.cell.model));
        const beaten = each ? others : bestBy(metric, others);
        return beaten.map((one) => ({
          ...{ better: arm, than: one, metric },
          name: `${task} ${metric}, ${namesOf(arm.cell, one.cell, several)}`,
        }));
      });
  });
  const finding = findingOn(pairs);
  const missing = [
    ...columns.map(({ task }) => task).filter((task) => !arms.some(({ cell }) => cell.task === task)),
    ...(than.methods ?? []).filter((method) => !arms.some(({ cell }) => cell.method === method)),
    ...(better.models ?? [])
      .filter(({ ids }) => !arms.some(({ cell }) => matches(ids, cell.model)))
      .map((one) => one.label),
  ];
  return finding === undefined || missing.length === 0 ? finding : { ...finding, without: [...new Set(missing)] };
}

/** `a against b`, with their models where the runs have several. */
function namesOf(a: Cell, b: Cell, several: boolean): string {
  if (a.model !== b.model) return `${a.method} with ${a.model} against ${b.method} with ${b.model}`;
  return `${a.method} against ${b.method}${several ? ` with ${a.model}` : ""}`;
}

/** That more of an option is better (the largest value against the smallest), or that nothing is gained beyond one of its values. */
function alongOption({ better, option = "", upTo, beyond }: Claim, columns: Columns, arms: readonly OwnArm[]) {
  const along = armsAlong(
    arms.filter((arm) => isOn(better, arm) && arm.cell.task === columns[0]?.task),
    option,
  ).filter(({ value }) => value <= upTo);
  const base = beyond === undefined ? along[0] : along.find(({ value }) => value === beyond);
  if (base === undefined) return undefined;
  const later = beyond === undefined ? along.slice(1).slice(-1) : along.filter(({ value }) => value > beyond);
  const pairs = later.flatMap(({ value, arm }) =>
    columns.map(({ metric }) => ({
      ...{ better: arm, than: base.arm, metric },
      name: `${metric}, ${option} ${value} against ${base.value}`,
    })),
  );
  const finding = beyond === undefined ? findingOn(pairs) : noGain(pairs);
  const curve = columns.map(({ metric }) => {
    const scores = along.map(({ value, arm }) => `${value} ${formatScore(ownValue(arm, metric))}`);
    return `${metric} by ${option}: ${scores.join(", ")}`;
  });
  return finding === undefined ? undefined : { ...finding, evidence: [...curve, ...finding.evidence] };
}

/** One arm for each value of the option, ascending, of the first arm's model: those whose other options stand where most do. */
function armsAlong(own: readonly OwnArm[], option: string): { readonly value: number; readonly arm: OwnArm }[] {
  const others = ({ cell }: OwnArm): string => JSON.stringify({ ...cell.options, [option]: "" });
  const values = (key: string): number =>
    new Set(own.filter((arm) => others(arm) === key).map(({ cell }) => cell.options[option])).size;
  const most = Math.max(...own.map((arm) => values(others(arm))));
  const along = own
    .filter((arm) => values(others(arm)) === most && arm.cell.model === own[0]?.cell.model)
    .map((arm) => ({ value: Number(arm.cell.options[option]), arm }))
    .filter(({ value }, at, all) => Number.isFinite(value) && all.findIndex((one) => one.value === value) === at);
  return along.sort((one, other) => one.value - other.value);
}

/** Up to so much counts as no gain, of a score from 0 to 1: the interval of the gain must end below. */
const NO_GAIN = 0.02;

function noGain(pairs: readonly Pair[]): Finding | undefined {
  const leads = leadsOf(pairs);
  const holds = leads.every(({ interval }) => interval.high <= NO_GAIN);
  const isOpen = !holds && !leads.some(({ significant }) => significant);
  const evidence = leads.map(({ text }) => text);
  return leads.length === 0 ? undefined : { holds, ...(isOpen ? { open: true } : {}), evidence };
}

/** That most questions of the arms have all of the incidents, which the method counts. */
function incidents({ better, incidents: wanted = [], says }: Claim, arms: readonly OwnArm[]): Finding | undefined {
  const rows = arms.filter((arm) => isOn(better, arm)).flatMap((arm) => arm.rows);
  const count = rows.filter((row) => wanted.every((name) => (row.incidents[name] ?? 0) > 0)).length;
  return rows.length === 0
    ? undefined
    : { holds: 2 * count > rows.length, evidence: [`${says}: ${count} of ${rows.length}`] };
}

/** Jaccard similarity of the word sets of personas that counts as unlike (PersonaAgent, appendix I). */
const UNLIKE = 0.4;

/** That the learned personas all differ and alignment changed most of them, or that most pairs of them are unlike. */
function personas(about: Claim["personas"], arms: readonly OwnArm[]): Finding | undefined {
  const found = arms.find((arm) => arm.personas.length > 1)?.personas;
  if (found === undefined) return undefined;
  const texts = found.map(({ text }) => text);
  const different = new Set(texts).size;
  const changed = found.filter(({ text, initial }) => text !== initial).length;
  const pairs = jaccardMatrix(texts).flatMap((row, at) => row.slice(0, at));
  const share = pairs.filter((similarity) => similarity <= UNLIKE).length / pairs.length;
  const { all, withoutTemplate } = jaccardReport(texts, commonLines(found.map(({ initial }) => initial)));
  return {
    holds: about === "unlike" ? share > 0.5 : different === texts.length && 2 * changed > texts.length,
    evidence: [
      `${different} of ${texts.length} personas differ; changed by alignment: ${changed}`,
      `${countOf(pairs.length, "pair")}: ${(100 * share).toFixed(0)} % at ${formatScore(UNLIKE)} or below; ${spreadText(all)}`,
      `without the words of the initial template: ${spreadText(withoutTemplate)}`,
    ],
  };
}

/** Two arms of which a claim says that the first is better. */
interface Pair {
  readonly better: OwnArm;
  readonly than: OwnArm;
  readonly metric: string;
  /** What is compared, in words. */
  readonly name: string;
}

/** Returns the finding that the first of each pair is better; undefined where no pair can be compared. */
function findingOn(pairs: readonly Pair[]): Finding | undefined {
  const leads = leadsOf(pairs);
  if (leads.length === 0) return undefined;
  return {
    holds: leads.every(({ lead }) => lead > 0),
    evidence: leads.map(({ text }) => text),
    significant: { count: leads.filter(({ significant }) => significant).length, of: leads.length },
  };
}

/** Compares pairs; those that share no scored question, or too few users for an interval, are left out. */
const leadsOf = (pairs: readonly Pair[]) =>
  pairs.flatMap(({ better, than, metric: name, name: what }) => {
    const metric = metricOf(better, name);
    if (metric === undefined) return [];
    const comparison = compareIfAny({ a: than.rows, b: better.rows, metrics: [metric] });
    const found = comparison?.metrics[0];
    if (found === undefined || comparison!.users < MIN_USERS) return [];
    const { gain: lead, interval = { low: lead, high: lead }, p } = found; // a dash for macro-F1 of rare labels
    const bounds = found.interval === undefined ? dash : `${formatScore(interval.low)}, ${formatScore(interval.high)}`;
    const spread = `[${bounds}], p ${formatP(p)}`;
    const verdict = lead === 0 ? "equal" : `${lead < 0 ? "worse" : "better"} by ${formatScore(Math.abs(lead))}`;
    const text = `${what}: ${formatScore(found.b)} against ${formatScore(found.a)}: ${verdict} ${spread}`;
    return [{ text, lead, interval, significant: lead > 0 && isSignificant(p) }];
  });

/** Returns the best of some arms by a metric; none where none has a value. */
function bestBy(metric: string, arms: readonly OwnArm[]): OwnArm[] {
  const worth = (arm: OwnArm) => (metricOf(arm, metric)?.better === "lower" ? -1 : 1) * (ownValue(arm, metric) ?? 0);
  const scored = arms.filter((arm) => ownValue(arm, metric) !== undefined);
  return scored.sort((one, other) => worth(other) - worth(one)).slice(0, 1);
}

const metricOf = ({ cell }: OwnArm, name: string) => tasks.get(cell.task).metrics.find((one) => one.name === name);

const ownValue = (arm: OwnArm, metric: string): number | undefined =>
  arm.summary.metrics.find(({ name }) => name === metric)?.strict;
