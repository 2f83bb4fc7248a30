import { compareIfAny } from "../../results/compare.js";
import { type Interval, isSignificant } from "../../results/inference.js";
import { tasks } from "../../tasks/index.js";
import type { Claim, Finding, NamedModel, OwnArm } from "../papers/paper.js";
import { formatP, formatScore } from "../tables/format.js";

export interface StatedClaim {
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
  const { text, source, method, rivals, columns, models = [], each = false } = claim;
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
      const own = [...new Set(arms.map(({ cell }) => cell.model))];
      const pairs = columns.flatMap(({ task, metric }) =>
        own.flatMap((model) => {
          const on = arms.filter(({ cell }) => cell.task === task && cell.model === model);
          const arm = on.find(({ cell }) => cell.method === method);
          const present = on.filter(({ cell }) => rivals.includes(cell.method));
          const beaten = each ? present : bestBy(metric, present);
          return beaten.flatMap((rival): Pair[] => {
            const name = `${task} ${metric}, ${method} against ${rival.cell.method}${own.length > 1 ? ` with ${model}` : ""}`;
            return arm === undefined ? [] : [{ better: arm, than: rival, metric, name }];
          });
        }),
      );
      const finding = findingOn(pairs);
      if (finding === undefined) return undefined;
      const [tasksRun, methodsRun] = [arms.map(({ cell }) => cell.task), arms.map(({ cell }) => cell.method)];
      const missing = [
        ...columns.map(({ task }) => task).filter((task) => !tasksRun.includes(task)),
        ...rivals.filter((rival) => !methodsRun.includes(rival)),
        ...models.filter(({ is }) => !own.some((model) => is.test(model))).map(({ label }) => label),
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
export const risesAlong = (claim: Curve & { readonly upTo?: number }): Claim =>
  onCurve(claim, needsValues(claim), (all) => {
    const along = all.filter(({ value }) => value <= (claim.upTo ?? Number.POSITIVE_INFINITY));
    const [first, last] = [along[0], along.at(-1)];
    if (first === undefined || last === undefined || first === last) return undefined;
    return { along, finding: findingOn(pairsOf(claim, [last], first)) };
  });

/** "Beyond a value nothing more is gained": holds where every larger value is shown to gain no more than NO_GAIN, fails where one gains. */
export const noGainBeyond = (claim: Curve & { readonly beyond: number }): Claim =>
  onCurve(claim, `${needsValues(claim)}, one of them ${claim.beyond} and one above`, (along) => {
    const at = along.find(({ value }) => value === claim.beyond);
    if (at === undefined) return undefined;
    const later = along.filter(({ value }) => value > claim.beyond);
    const leads = leadsOf(pairsOf(claim, later, at));
    const holds = leads.every(({ interval }) => interval.high <= NO_GAIN);
    const isOpen = !holds && !leads.some(({ significant }) => significant);
    const evidence = leads.map(({ text }) => text);
    return {
      along,
      finding: leads.length === 0 ? undefined : { holds, ...(isOpen ? { open: true } : {}), evidence },
    };
  });

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

/** Two arms of which a claim says that the first is better. */
export interface Pair {
  readonly better: OwnArm;
  readonly than: OwnArm;
  readonly metric: string;
  /** What is compared, in words. */
  readonly name: string;
}

/** The finding on a claim that the first of each pair is better. Undefined where no pair can be compared. */
export function findingOn(pairs: readonly Pair[]): Finding | undefined {
  const leads = leadsOf(pairs);
  if (leads.length === 0) return undefined;
  return {
    holds: leads.every(({ lead }) => lead > 0),
    evidence: leads.map(({ text }) => text),
    significant: { count: leads.filter(({ significant }) => significant).length, of: leads.length },
  };
}

/** The best of some arms by a metric; none where none has a value. */
export function bestBy(metric: string, arms: readonly OwnArm[]): OwnArm[] {
  const worth = (arm: OwnArm): number =>
    (metricOf(arm, metric)?.better === "lower" ? -1 : 1) * (ownValue(arm, metric) ?? 0);
  return arms
    .filter((arm) => ownValue(arm, metric) !== undefined)
    .sort((one, other) => worth(other) - worth(one))
    .slice(0, 1);
}

/** How much better one own arm is than another, on the questions that both answered. Positive: better. */
interface Lead {
  /** `accuracy, a against b: .513 against .470: better by .043 [-.011, .097], p .110`. */
  readonly text: string;
  readonly lead: number;
  /** Over users. */
  readonly interval: Interval;
  readonly significant: boolean;
}

/** Without pairs that share no scored question, or too few users for an interval. */
const leadsOf = (pairs: readonly Pair[]): Lead[] =>
  pairs.flatMap(({ better, than, metric: name, name: what }) => {
    const metric = metricOf(better, name);
    if (metric === undefined) return [];
    const comparison = compareIfAny({ a: than.rows, b: better.rows, metrics: [metric] });
    const found = comparison?.metrics[0];
    if (found?.interval === undefined) return [];
    const { gain: lead, interval, p } = found;
    const spread = `[${formatScore(interval.low)}, ${formatScore(interval.high)}], p ${formatP(p)}`;
    const verdict = lead === 0 ? "equal" : `${lead < 0 ? "worse" : "better"} by ${formatScore(Math.abs(lead))}`;
    const text = `${what}: ${formatScore(found.b)} against ${formatScore(found.a)}: ${verdict} ${spread}`;
    return [{ text, lead, interval, significant: lead > 0 && isSignificant(p) }];
  });

/** Up to so much counts as no gain, of a score from 0 to 1: the interval of the gain must end below. */
const NO_GAIN = 0.02;

const metricOf = ({ cell }: OwnArm, name: string) => tasks.get(cell.task).metrics.find((one) => one.name === name);

const ownValue = (arm: OwnArm, metric: string): number | undefined =>
  arm.summary.metrics.find(({ name }) => name === metric)?.strict;

interface ArmAtValue {
  readonly value: number;
  readonly arm: OwnArm;
}

const needsValues = ({ method, task, option }: Curve): string =>
  `${method} on ${task} with two or more values of ${option}`;

/** A claim about the arms along an axis; in front of its evidence stand their values. */
const onCurve = (
  { text, source, ...claim }: Curve,
  needs: string,
  of: (
    along: readonly ArmAtValue[],
  ) => { readonly along: readonly ArmAtValue[]; readonly finding: Finding | undefined } | undefined,
): Claim => ({
  text,
  source,
  needs,
  check(arms) {
    const { along, finding } = of(armsAlong(arms, claim)) ?? {};
    if (along === undefined || finding === undefined) return undefined;
    const curve = claim.metrics.map((metric) => {
      const values = along.map(({ value, arm }) => `${value} ${formatScore(ownValue(arm, metric))}`);
      return `${metric} by ${claim.option}: ${values.join(", ")}`;
    });
    return { ...finding, evidence: [...curve, ...finding.evidence] };
  },
});

const pairsOf = ({ option, metrics }: Curve, better: readonly ArmAtValue[], than: ArmAtValue): Pair[] =>
  better.flatMap(({ value, arm }) =>
    metrics.map((metric) => ({
      ...{ better: arm, than: than.arm, metric },
      name: `${metric}, ${option} ${value} against ${than.value}`,
    })),
  );

/** One arm for each value of the option, ascending; of several with one value the first. One model: that of the first arm. */
function armsAlong(
  arms: readonly OwnArm[],
  { method, task, option }: Pick<Curve, "method" | "task" | "option">,
): ArmAtValue[] {
  const ofMethod = arms.filter(({ cell }) => cell.method === method && cell.task === task);
  const along = new Map<number, ArmAtValue>();
  for (const arm of onAxis(ofMethod, option)) {
    const value = Number(arm.cell.options[option]);
    const isFirst = arm.cell.model === ofMethod[0]?.cell.model && !along.has(value);
    if (Number.isFinite(value) && isFirst) along.set(value, { value, arm });
  }
  return [...along.values()].sort((one, other) => one.value - other.value);
}

/** The arms whose other options stand where they do for most values of the axis, so that runs that vary several options can be used. */
function onAxis(arms: readonly OwnArm[], option: string): readonly OwnArm[] {
  const others = ({ cell }: OwnArm): string => JSON.stringify({ ...cell.options, [option]: "" });
  const values = (key: string): number =>
    new Set(arms.filter((arm) => others(arm) === key).map(({ cell }) => String(cell.options[option]))).size;
  const most = Math.max(...arms.map((arm) => values(others(arm))));
  return arms.filter((arm) => values(others(arm)) === most);
}
