import type { Claim, NamedModel, OwnArm } from "../papers/paper.js";
import { bestBy, findingOn, type StatedClaim } from "./claims.js";

interface ModelClaim extends StatedClaim {
  readonly task: string;
  readonly metrics: readonly string[];
  readonly model: NamedModel;
}

/** "With this model the method is best of all": against the best other arm of the task. */
export const bestModel = (claim: ModelClaim): Claim =>
  betweenModels(claim, needsAnother(claim), (arms, metric) => {
    const [arm, others] = splitBy(claim.model, arms, claim);
    return [arm, bestBy(metric, others)];
  });

/** "This model is worst by all metrics": every other model's arm of the method is better. */
export const worstModel = (claim: ModelClaim): Claim =>
  betweenModels(claim, needsAnother(claim), (arms) => {
    const [arm, others] = splitBy(claim.model, arms, claim);
    return [others.filter(({ cell }) => cell.method === claim.method), arm];
  });

/** "This model is below that one by all metrics." */
export const worseModel = ({ better, ...claim }: ModelClaim & { readonly better: NamedModel }): Claim =>
  betweenModels(
    claim,
    `runs with ${better.label} and ${claim.model.label} (e.g. ${better.example} and ${claim.model.example})`,
    (arms) => [splitBy(better, arms, claim)[0], splitBy(claim.model, arms, claim)[0]],
  );

const needsAnother = ({ model }: ModelClaim): string =>
  `a run with ${model.label} (e.g. ${model.example}) and one with another model`;

/** A claim that each of some arms is better than each of others, by all its metrics. */
const betweenModels = (
  { text, source, method, task, metrics }: ModelClaim,
  needs: string,
  of: (arms: readonly OwnArm[], metric: string) => readonly [better: readonly OwnArm[], than: readonly OwnArm[]],
): Claim => ({
  text,
  source,
  needs: `${method} on ${task}: ${needs}`,
  check: (arms) =>
    findingOn(
      metrics.flatMap((metric) => {
        const [ahead, behind] = of(arms, metric);
        return ahead.flatMap((better) =>
          behind.map((than) => ({
            ...{ better, than, metric },
            name: `${metric}, ${labelOf(better)} against ${labelOf(than)}`,
          })),
        );
      }),
    ),
});

/** The method's arm with that model, and all arms of the task with other models or methods. */
function splitBy(
  model: NamedModel,
  arms: readonly OwnArm[],
  { method, task }: Pick<ModelClaim, "method" | "task">,
): [arm: OwnArm[], others: OwnArm[]] {
  const on = arms.filter(({ cell }) => cell.task === task);
  const arm = on.find(({ cell }) => cell.method === method && model.is.test(cell.model));
  return [arm === undefined ? [] : [arm], on.filter((other) => other !== arm)];
}

const labelOf = ({ cell }: OwnArm): string => `${cell.method} with ${cell.model}`;
