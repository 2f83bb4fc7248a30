import { cappedStudentLower, cappedStudentP, mirrored, type OverUsers } from "../../statistics/capped-student.js";
import type { Interval } from "../../statistics/interval.js";
import { boundBeyond, lossBeyond, lossP, lowerBound, type Parts, shockReach } from "../../statistics/loss.js";
import type { BothWays, PairedLoss, TestedLoss } from "./paired-loss.js";

/**
 * What a gate can claim. `answers`: these very answers score at most the margin lower, a fact. `set`: a new run of both on the
 * same users and questions would lose less on average. `users`: users drawn like these would. Each holds those before it.
 */
export type Claim = "answers" | "set" | "users";
export const claims: readonly Claim[] = ["answers", "set", "users"];

/** Below this many users nothing is claimed of a new run: the test over users was never tried there. */
export const FEWEST_USERS = 5;

/** One-sided p of "the loss is the margin or more", by claim; `set` is the larger of the two after it. */
export interface ClaimPs {
  readonly users: number;
  readonly set: number | undefined;
  readonly questions: number;
  readonly overUsers: number | undefined;
}

/** `margin` in judged units. */
export function claimPs(loss: TestedLoss, margin: number, alpha: number): ClaimPs {
  const beyond = lossBeyond(loss.gain, margin, shockReach(loss.shock, alpha));
  const { questions, overUsers, set } = setP(loss.questions.down, testable(loss), beyond);
  return { users: beyond === undefined ? 1 : lossP(loss.users.down, beyond), set, questions, overUsers };
}

/** One-sided p of "on this set nothing is lost beyond the margin": small where a loss is shown. Undefined for too few users. */
export function shownLossP(loss: TestedLoss, margin: number, alpha: number): number | undefined {
  const beyond = lossBeyond(-loss.gain, -margin, shockReach(loss.shock, alpha));
  const overUsers = testable(loss);
  return setP(loss.questions.up, overUsers && mirrored(overUsers), beyond).set;
}

/** One-sided bounds of the gain at risk alpha each, in units of the metric. `set`: undefined for too few users. */
export function claimBounds(
  loss: PairedLoss,
  alpha: number,
): { readonly set: Interval | undefined; readonly users: Interval } {
  const reach = shockReach(loss.shock, alpha);
  const printed = (bound: number) => loss.toPrinted(boundBeyond(loss.gain, bound, reach));
  const both = (low: number, high: number): Interval => ({ low: printed(low), high: printed(high) });
  const over = ({ down, up }: BothWays) =>
    [lowerBound(down, loss.range, alpha), -lowerBound(up, loss.range, alpha)] as const;
  const overUsers = testable(loss);
  const [low, high] = over(loss.questions);
  const set =
    overUsers === undefined
      ? undefined
      : both(
          Math.min(low, cappedStudentLower(overUsers, alpha)),
          Math.max(high, -cappedStudentLower(mirrored(overUsers), alpha)),
        );
  return { set, users: both(...over(loss.users)) };
}

function setP(
  questions: Parts,
  users: OverUsers | undefined,
  beyond: number | undefined,
): Pick<ClaimPs, "set" | "questions" | "overUsers"> {
  const p = beyond === undefined ? 1 : lossP(questions, beyond);
  if (users === undefined) return { questions: p, overUsers: undefined, set: undefined };
  const overUsers = beyond === undefined ? 1 : cappedStudentP(users, beyond);
  return { questions: p, overUsers, set: Math.max(p, overUsers) };
}

const testable = ({ overUsers }: TestedLoss): OverUsers | undefined =>
  overUsers === undefined || overUsers.shares.length < FEWEST_USERS ? undefined : overUsers;
