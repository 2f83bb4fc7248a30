import { compareIfAny } from "../../results/compare.js";
import { isSignificant, MIN_USERS } from "../../results/inference.js";
import { tasks } from "../../tasks/index.js";
import { countOf, nounOf } from "../../text/count.js";
import { commonLines, jaccardMatrix, jaccardReport, spreadText } from "../personas/jaccard.js";
import { dash } from "../table.js";
import { formatP, formatScore } from "../tables/format.js";
import type { OwnArm } from "./own-arm.js";
import { type Claim, matches, type PaperTable } from "./paper.js";

interface Finding {
  readonly verdict: string;
  /** The numbers that it rests on, one line each. */
  readonly evidence: readonly string[];
  /** The part of the claim's subject that the runs lack. */
  readonly without?: readonly string[];
}

export interface CheckedClaim extends Pick<Claim, "text" | "source"> {
  /** Undefined: the runs lack what the claim needs. */
  readonly finding: Finding | undefined;
}

type Side = Claim["better"];
type Columns = readonly { readonly task: string; readonly metric: string }[];

/** Checks a claim on own arms. A claim that names no columns is about those of its table. */
export function checkClaim(claim: Claim, table: PaperTable, arms: readonly OwnArm[]): CheckedClaim {
  const columns = table.columns.filter(({ metric }) => claim.metrics?.includes(metric) ?? true);
  const { text, source } = claim;
  return { text, source, finding: findingOf(claim, columns, arms) };
}

function findingOf(claim: Claim, columns: Columns, arms: readonly OwnArm[]): Finding | undefined {
  if (claim.option !== undefined) return alongOption(claim, columns, arms);
  if (claim.incidents !== undefined) return incidents(claim, arms);
  if (claim.personas !== undefined) return personas(claim.personas, arms);
  return betterThan(claim, columns, arms);
}

const isOn = ({ methods, models }: Side, { cell }: OwnArm): boolean =>
  (methods?.includes(cell.method) ?? true) && (models?.some(({ ids }) => matches(ids, cell.model)) ?? true);

/** That one side is better than the other by every column: than its best arm, or than each; with one model where the sides name none. */
function betterThan({ better, than, each, across }: Claim, columns: Columns, arms: readonly OwnArm[]) {
  const pairs = columns.flatMap(({ task, metric }) => {
    const on = arms.filter(({ cell }) => cell.task === task);
    const several = new Set(on.map(({ cell }) => cell.model)).size > 1;
    const nameOf = ({ cell }: OwnArm): string => `${cell.method}${several ? ` with ${cell.model}` : ""}`;
    return on
      .filter((arm) => isOn(better, arm))
      .flatMap((arm): Pair[] => {
        const others = on.filter(
          (one) => one !== arm && isOn(than, one) && (across || one.cell.model === arm.cell.model),
        );
        return (each ? others : bestBy(metric, others)).map((one) => ({
          ...{ better: arm, than: one, metric },
          name: `${task} ${metric}, ${nameOf(arm)} against ${nameOf(one)}`,
        }));
      });
  });
  const finding = findingOn(pairs);
  const without = [
    ...columns.map(({ task }) => task).filter((task) => !arms.some(({ cell }) => cell.task === task)),
    ...(than.methods ?? []).filter((method) => !arms.some(({ cell }) => cell.method === method)),
    ...(better.models ?? []).flatMap(({ ids, label }) =>
      arms.some(({ cell }) => matches(ids, cell.model)) ? [] : [label],
    ),
  ];
  return finding && { ...finding, without: [...new Set(without)] };
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
  const finding = findingOn(pairs, beyond !== undefined);
  const curve = columns.map(({ metric }) => {
    const scores = along.map(({ value, arm }) => `${value} ${formatScore(ownValue(arm, metric))}`);
    return `${metric} by ${option}: ${scores.join(", ")}`;
  });
  return finding && { ...finding, evidence: [...curve, ...finding.evidence] };
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

/** That most questions of the arms have all of the incidents, which the method counts. */
function incidents({ better, incidents: wanted = [] }: Claim, arms: readonly OwnArm[]): Finding | undefined {
  const rows = arms.filter((arm) => isOn(better, arm)).flatMap((arm) => arm.rows);
  const count = rows.filter((row) => wanted.every((name) => (row.incidents[name] ?? 0) > 0)).length;
  const evidence = [`questions with ${wanted.join(", ")}: ${count} of ${rows.length}`];
  return rows.length === 0 ? undefined : { verdict: verdictOf(2 * count > rows.length), evidence };
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
    verdict: verdictOf(about === "unlike" ? share > 0.5 : different === texts.length && 2 * changed > texts.length),
    evidence: [
      `${different} of ${texts.length} personas differ; changed by alignment: ${changed}`,
      `${countOf(pairs.length, "pair")}: ${(100 * share).toFixed(0)} % at ${formatScore(UNLIKE)} or below; ${spreadText(all)}`,
      `without the words of the initial template: ${spreadText(withoutTemplate)}`,
    ],
  };
}

const verdictOf = (holds: boolean): string => (holds ? "holds here" : "does not hold here");

/** Two arms of which a claim says that the first is better. */
interface Pair {
  readonly better: OwnArm;
  readonly than: OwnArm;
  readonly metric: string;
  /** What is compared, in words. */
  readonly name: string;
}

/** Returns the finding that the first of each pair is better, or that it is not; undefined where no pair can be compared. */
function findingOn(pairs: readonly Pair[], isNoGain = false): Finding | undefined {
  const leads = pairs.flatMap((pair) => leadOf(pair) ?? []);
  if (leads.length === 0) return undefined;
  const isSo = leads.every(({ lead }) => (isNoGain ? lead <= 0 : lead > 0));
  const sure = leads.filter(({ lead, significant }) => lead > 0 && significant).length;
  const points = `points ${isSo ? "that" : "the other"} way`;
  const verdict = isNoGain ? (sure > 0 ? verdictOf(false) : points) : sure > 0 ? verdictOf(isSo) : points;
  const of = `${sure} of ${leads.length} ${nounOf(leads.length, "difference")} significant at .05`;
  return { verdict: `${verdict}; ${of}`, evidence: leads.map(({ text }) => text) };
}

/** Compares a pair. Undefined where the two share no scored question, or too few users for an interval. */
function leadOf({ better, than, metric: name, name: what }: Pair) {
  const metric = metricOf(better, name);
  const comparison = metric && compareIfAny({ a: than.rows, b: better.rows, metrics: [metric] });
  const found = comparison?.metrics[0];
  if (found === undefined || comparison!.users < MIN_USERS) return undefined;
  const { gain: lead, interval, p } = found;
  const bounds = interval === undefined ? dash : `${formatScore(interval.low)}, ${formatScore(interval.high)}`;
  const isPrimary = tasks.get(better.cell.task).metrics[0]?.name === name;
  const spread = `[${bounds}]${isPrimary ? `, p ${formatP(p)}` : ""}`;
  const verdict = lead === 0 ? "equal" : `${lead < 0 ? "worse" : "better"} by ${formatScore(Math.abs(lead))}`;
  const text = `${what}: ${formatScore(found.b)} against ${formatScore(found.a)}: ${verdict} ${spread}`;
  return { text, lead, significant: isSignificant(p) };
}

/** Returns the best of some arms by a metric; none where none has a value. */
function bestBy(metric: string, arms: readonly OwnArm[]): OwnArm[] {
  const worth = (arm: OwnArm) => (metricOf(arm, metric)?.better === "lower" ? -1 : 1) * (ownValue(arm, metric) ?? 0);
  const scored = arms.filter((arm) => ownValue(arm, metric) !== undefined);
  return scored.sort((one, other) => worth(other) - worth(one)).slice(0, 1);
}

const metricOf = ({ cell }: OwnArm, name: string) => tasks.get(cell.task).metrics.find((one) => one.name === name);

const ownValue = (arm: OwnArm, metric: string): number | undefined =>
  arm.summary.metrics.find(({ name }) => name === metric)?.strict;
