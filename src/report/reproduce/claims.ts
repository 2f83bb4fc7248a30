import { tasks } from "../../tasks/index.js";
import type { Claim, Finding, NamedModel, OwnArm } from "../papers/paper.js";
import { formatScore } from "../tables/format.js";
import { type Lead, leadOf, ownValue } from "./difference.js";

interface StatedClaim {
  readonly text: string;
  readonly source: string;
  readonly method: string;
}

interface BestMethod extends StatedClaim {
  readonly rivals: readonly string[];
  readonly columns: readonly { readonly task: string; readonly metric: string }[];
  /** Against each rival; else against the best one only. */
  readonly each?: boolean;
  /** The claim is about these models only; else about any. */
  readonly models?: readonly NamedModel[];
}

/** "M is best": better than its rivals by every column, with every model that the runs have. */
export function bestMethod(claim: BestMethod): Claim {
  const { text, source, method, rivals, columns, models = [] } = claim;
  const withOne =
    models.length === 0
      ? " with one model"
      : `, with ${models.map(({ label, example }) => `${label} (e.g. ${example})`).join(" or ")}`;
  return {
    text,
    source,
    needs: `${method} and one of ${rivals.join(", ")} on one task${withOne}`,
    check(given) {
      const arms =
        models.length === 0 ? given : given.filter(({ cell }) => models.some(({ is }) => is.test(cell.model)));
      const leads = columns.flatMap((column) => modelsOf(arms).flatMap((model) => leadsOn(claim, column, model, arms)));
      const finding = leadsFinding(leads);
      if (finding === undefined) return undefined;
      const [tasksRun, methodsRun] = [arms.map(({ cell }) => cell.task), arms.map(({ cell }) => cell.method)];
      const missing = [
        ...columns.map(({ task }) => task).filter((task) => !tasksRun.includes(task)),
        ...rivals.filter((rival) => !methodsRun.includes(rival)),
        ...models.filter(({ is }) => !arms.some(({ cell }) => is.test(cell.model))).map(({ label }) => label),
      ];
      return missing.length === 0 ? finding : { ...finding, without: [...new Set(missing)] };
    },
  };
}

interface Curve extends StatedClaim {
  readonly task: string;
  readonly option: string;
  readonly metrics: readonly string[];
}

/** "More of an option is better": the largest value run (at most `upTo`) against the smallest. */
export function risesAlong(claim: Curve & { readonly upTo?: number }): Claim {
  const { text, source, option, metrics, upTo = Number.POSITIVE_INFINITY } = claim;
  return {
    text,
    source,
    needs: needsValues(claim),
    check(arms) {
      const along = armsAlong(arms, claim).filter(({ value }) => value <= upTo);
      const [first, last] = [along[0], along.at(-1)];
      if (first === undefined || last === undefined || first.value === last.value) return undefined;
      const leads = metrics.flatMap((metric) => {
        const lead = leadOf(last.arm, first.arm, metric);
        return lead === undefined ? [] : [{ lead, name: `${metric}, ${option} ${last.value} against ${first.value}` }];
      });
      return withCurve(leadsFinding(leads), along, claim);
    },
  };
}

/** "Beyond a value nothing more is gained": holds where every larger value is shown to gain no more than NO_GAIN, fails where one gains. */
export function noGainBeyond(claim: Curve & { readonly beyond: number }): Claim {
  const { text, source, option, metrics, beyond } = claim;
  return {
    text,
    source,
    needs: `${needsValues(claim)}, one of them ${beyond} and one above`,
    check(arms) {
      const along = armsAlong(arms, claim);
      const at = along.find(({ value }) => value === beyond);
      const later = along.filter(({ value }) => value > beyond);
      if (at === undefined) return undefined;
      const leads = later.flatMap(({ value, arm }) =>
        metrics.flatMap((metric) => {
          const lead = leadOf(arm, at.arm, metric);
          return lead === undefined ? [] : [{ lead, name: `${metric}, ${option} ${value} against ${beyond}` }];
        }),
      );
      if (leads.length === 0) return undefined;
      const shown = leads.every(({ lead }) => lead.interval.high <= NO_GAIN);
      const finding = {
        holds: shown,
        ...(shown || leads.some(({ lead }) => lead.significant) ? {} : { open: true as const }),
        evidence: leads.map(lineOf),
      };
      return withCurve(finding, along, claim);
    },
  };
}

/** "In most runs of the agent this happens": by the incidents that the method counts, all of them in one question. */
export function incidentsInMost(
  claim: StatedClaim & { readonly incidents: readonly string[]; readonly says: string },
): Claim {
  const { text, source, method, incidents: wanted, says } = claim;
  return {
    text,
    source,
    needs: `${method} on any task`,
    check(arms) {
      const rows = arms.filter(({ cell }) => cell.method === method).flatMap((arm) => arm.rows);
      if (rows.length === 0) return undefined;
      const count = rows.filter(({ incidents }) => wanted.every((name) => (incidents[name] ?? 0) > 0)).length;
      return { holds: 2 * count > rows.length, evidence: [`${says}: ${count} of ${rows.length}`] };
    },
  };
}

/** The finding on a claim that all these leads are positive. Undefined without leads. */
export function leadsFinding(leads: readonly NamedLead[]): Finding | undefined {
  if (leads.length === 0) return undefined;
  return {
    holds: leads.every(({ lead }) => lead.lead > 0),
    evidence: leads.map(lineOf),
    significant: { count: leads.filter(({ lead }) => lead.significant).length, of: leads.length },
  };
}

interface NamedLead {
  readonly name: string;
  readonly lead: Lead;
}

/** The best of some arms by a metric; undefined where none has a value. */
export function bestBy(metric: string, arms: readonly OwnArm[]): OwnArm | undefined {
  return arms
    .filter((arm) => ownValue(arm, metric) !== undefined)
    .sort((one, other) => worth(other, metric) - worth(one, metric))[0];
}

/** Up to so much counts as no gain, of a score from 0 to 1: the interval of the gain must end below. */
const NO_GAIN = 0.02;

const lineOf = ({ name, lead }: NamedLead): string => `${name}: ${lead.text}`;
function leadsOn(
  { method, rivals, each = false }: BestMethod,
  { task, metric }: BestMethod["columns"][number],
  model: string,
  arms: readonly OwnArm[],
): NamedLead[] {
  const on = arms.filter(({ cell }) => cell.task === task && cell.model === model);
  const arm = on.find(({ cell }) => cell.method === method);
  const present = on.filter(({ cell }) => rivals.includes(cell.method));
  const best = bestBy(metric, present);
  const named = modelsOf(arms).length > 1 ? ` with ${model}` : "";
  return (each ? present : best === undefined ? [] : [best]).flatMap((rival) => {
    const lead = arm === undefined ? undefined : leadOf(arm, rival, metric);
    return lead === undefined
      ? []
      : [{ lead, name: `${task} ${metric}, ${method} against ${rival.cell.method}${named}` }];
  });
}

const modelsOf = (arms: readonly OwnArm[]): string[] => [...new Set(arms.map(({ cell }) => cell.model))];

/** A value, negated where lower is better. */
function worth(arm: OwnArm, metric: string): number {
  const better = tasks.get(arm.cell.task).metrics.find(({ name }) => name === metric)?.better;
  return (better === "lower" ? -1 : 1) * (ownValue(arm, metric) ?? 0);
}

interface ArmAtValue {
  readonly value: number;
  readonly arm: OwnArm;
}

const needsValues = ({ method, task, option }: Curve): string =>
  `${method} on ${task} with two or more values of ${option}`;

/** One arm for each value of the option, ascending; of several with one value the first. One model: that of the first arm. */
function armsAlong(arms: readonly OwnArm[], { method, task, option }: Curve): ArmAtValue[] {
  const ofMethod = arms.filter(({ cell }) => cell.method === method && cell.task === task);
  const model = ofMethod[0]?.cell.model;
  const along = new Map<number, ArmAtValue>();
  for (const arm of ofMethod.filter(
    ({ cell }) => cell.model === model && othersEqual(cell.options, ofMethod, option),
  )) {
    const value = Number(arm.cell.options[option]);
    if (Number.isFinite(value) && !along.has(value)) along.set(value, { value, arm });
  }
  return [...along.values()].sort((one, other) => one.value - other.value);
}

/** Whether an arm belongs to the curve: all options but the curve's own stand where most of the arms have them, so that runs that vary several options can be used. */
function othersEqual(options: OwnArm["cell"]["options"], ofMethod: readonly OwnArm[], option: string): boolean {
  const still = (all: OwnArm["cell"]["options"]) => JSON.stringify({ ...all, [option]: "" });
  const counts = new Map<string, Set<string>>();
  for (const { cell } of ofMethod) {
    const values = counts.get(still(cell.options)) ?? new Set();
    counts.set(still(cell.options), values.add(String(cell.options[option])));
  }
  const most = Math.max(...[...counts.values()].map(({ size }) => size));
  return counts.get(still(options))?.size === most;
}

function withCurve(finding: Finding | undefined, along: readonly ArmAtValue[], claim: Curve): Finding | undefined {
  if (finding === undefined) return undefined;
  const curve = claim.metrics.map(
    (metric) =>
      `${metric} by ${claim.option}: ${along.map(({ value, arm }) => `${value} ${formatScore(ownValue(arm, metric))}`).join(", ")}`,
  );
  return { ...finding, evidence: [...curve, ...finding.evidence] };
}
