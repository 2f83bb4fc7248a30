import type { Claim, Finding, NamedModel, OwnArm } from "../papers/paper.js";
import { bestBy, leadsFinding } from "./claims.js";
import { leadOf } from "./difference.js";

interface StatedClaim {
  readonly text: string;
  readonly source: string;
  readonly method: string;
  readonly task: string;
}

/** "With this model the method is best of all": against the best other arm of the task. */
export function bestModel(claim: StatedClaim & { readonly model: NamedModel; readonly metric: string }): Claim {
  const { model, metric } = claim;
  return {
    ...stated(claim, `a run with ${model.label} (e.g. ${model.example}) and one with another model`),
    check(arms) {
      const [arm, others] = splitBy(model, arms, claim);
      const rival = bestBy(metric, others);
      return arm === undefined || rival === undefined ? undefined : between([[arm, rival]], [metric]);
    },
  };
}

/** "This model is worst by all metrics": every other model's arm of the method is better. */
export function worstModel(
  claim: StatedClaim & { readonly model: NamedModel; readonly metrics: readonly string[] },
): Claim {
  const { model, metrics, method } = claim;
  return {
    ...stated(claim, `a run with ${model.label} (e.g. ${model.example}) and one with another model`),
    check(arms) {
      const [arm, others] = splitBy(model, arms, claim);
      const rivals = others.filter(({ cell }) => cell.method === method);
      return arm === undefined
        ? undefined
        : between(
            rivals.map((rival) => [rival, arm] as const),
            metrics,
          );
    },
  };
}

/** "This model is below that one by all metrics." */
export function worseModel(
  claim: StatedClaim & { readonly better: NamedModel; readonly model: NamedModel; readonly metrics: readonly string[] },
): Claim {
  const { better, model, metrics } = claim;
  return {
    ...stated(claim, `runs with ${better.label} and ${model.label} (e.g. ${better.example} and ${model.example})`),
    check(arms) {
      const [above] = splitBy(better, arms, claim);
      const [below] = splitBy(model, arms, claim);
      return above === undefined || below === undefined ? undefined : between([[above, below]], metrics);
    },
  };
}

const stated = ({ text, source, method, task }: StatedClaim, runs: string) => ({
  text,
  source,
  needs: `${method} on ${task}: ${runs}`,
});

/** The method's arm with that model, and all arms of the task with other models or methods. */
function splitBy(
  model: NamedModel,
  arms: readonly OwnArm[],
  { method, task }: StatedClaim,
): [OwnArm | undefined, OwnArm[]] {
  const on = arms.filter(({ cell }) => cell.task === task);
  const arm = on.find(({ cell }) => cell.method === method && model.is.test(cell.model));
  return [arm, on.filter((other) => other !== arm)];
}

function between(pairs: readonly (readonly [OwnArm, OwnArm])[], metrics: readonly string[]): Finding | undefined {
  const leads = pairs.flatMap(([one, other]) =>
    metrics.flatMap((metric) => {
      const lead = leadOf(one, other, metric);
      return lead === undefined ? [] : [{ lead, name: `${metric}, ${labelOf(one)} against ${labelOf(other)}` }];
    }),
  );
  return leadsFinding(leads);
}

const labelOf = ({ cell }: OwnArm): string => `${cell.method} with ${cell.model}`;
