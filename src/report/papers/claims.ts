import { compareIfAny } from "../../results/compare.js";
import { isSignificant, MIN_USERS } from "../../results/inference.js";
import { tasks } from "../../tasks/index.js";
import { nounOf } from "../../text/count.js";
import { dash } from "../table.js";
import { formatP, formatScore } from "../tables/format.js";
import { isArm, type OwnArm } from "./own-arm.js";
import type { PaperTable } from "./paper.js";
import { type Claim, matches } from "./schema.js";

export interface CheckedClaim extends Pick<Claim, "text" | "source"> {
  /** Undefined: the runs lack what the claim compares. */
  readonly verdict: string | undefined;
  /** The numbers that it rests on, one line each. */
  readonly evidence: readonly string[];
  /** Tasks and methods of the claim that the runs lack. */
  readonly without: readonly string[];
}

const isOn = ({ methods, models, options = {} }: Claim["better"], { cell }: OwnArm): boolean =>
  (methods?.includes(cell.method) ?? true) &&
  (models?.some(({ ids }) => matches(ids, cell.model)) ?? true) &&
  isArm({ options }, cell);

/** Checks on own arms that one side is better than the other by every column: than each arm, or than the one that it leads by least. */
export function checkClaim(claim: Claim, { columns }: PaperTable, arms: readonly OwnArm[]): CheckedClaim {
  const { text, source, better, than, each, across } = claim;
  const claimed = columns.filter(({ metric }) => claim.metrics?.includes(metric) ?? true);
  const leads = claimed.flatMap(({ task, metric }) => {
    const on = arms.filter(({ cell }) => cell.task === task);
    return on
      .filter((arm) => isOn(better, arm))
      .flatMap((arm) => {
        const rivals = on.filter(
          (one) => one !== arm && isOn(than, one) && (across || one.cell.model === arm.cell.model),
        );
        const found = rivals.flatMap((one) => leadOf(arm, one, metric) ?? []);
        return each ? found : found.sort((a, b) => a.lead - b.lead).slice(0, 1);
      });
  });
  const has = new Set(arms.flatMap(({ cell }) => [cell.task, cell.method]));
  const names = new Set([...claimed.map(({ task }) => task), ...(than.methods ?? [])]);
  const without = [...names].filter((name) => !has.has(name));
  return { text, source, verdict: verdictOn(leads), evidence: leads.map((one) => one.text), without };
}

interface Lead {
  readonly text: string;
  readonly lead: number;
  readonly significant: boolean;
}

function verdictOn(leads: readonly Lead[]): string | undefined {
  if (leads.length === 0) return undefined;
  const isSo = leads.every(({ lead }) => lead > 0);
  const sure = leads.filter(({ lead, significant }) => lead > 0 && significant).length;
  const holds = isSo ? "holds here" : "does not hold here";
  const points = `points ${isSo ? "that" : "the other"} way`;
  const counted = `${sure} of ${leads.length} ${nounOf(leads.length, "difference")} significant at .05`;
  return `${sure > 0 ? holds : points}; ${counted}`;
}

/** Compares two arms. Undefined where they share no scored question, or too few users for an interval. */
function leadOf(better: OwnArm, than: OwnArm, name: string): Lead | undefined {
  const { metrics } = tasks.get(better.cell.task);
  const metric = metrics.find((one) => one.name === name);
  const comparison = metric && compareIfAny({ a: than.rows, b: better.rows, metrics: [metric] });
  const found = comparison?.metrics[0];
  if (found === undefined || comparison!.users < MIN_USERS) return undefined;
  const { gain: lead, interval, p } = found;
  const bounds = interval === undefined ? dash : `${formatScore(interval.low)}, ${formatScore(interval.high)}`;
  const spread = `[${bounds}]${metrics[0]?.name === name ? `, p ${formatP(p)}` : ""}`;
  const verdict = lead === 0 ? "equal" : `${lead < 0 ? "worse" : "better"} by ${formatScore(Math.abs(lead))}`;
  const names = `${nameOf(better, than)} against ${nameOf(than, better)}`;
  const text = `${better.cell.task} ${name}, ${names}: ${formatScore(found.b)} against ${formatScore(found.a)}: ${verdict} ${spread}`;
  return { text, lead, significant: isSignificant(p) };
}

/** The method, with the model and the options in which it is not as the other. */
function nameOf({ cell }: OwnArm, { cell: other }: OwnArm): string {
  const options = Object.entries(cell.options).filter(([name, value]) => other.options[name] !== value);
  const apart = cell.method === other.method ? options.map(([name, value]) => `${name}=${value}`) : [];
  return [cell.method, ...(cell.model === other.model ? [] : [`with ${cell.model}`]), ...apart].join(" ");
}
