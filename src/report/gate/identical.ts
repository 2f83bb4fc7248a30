import { contentId } from "../../text/content-id.js";
import type { GatedArm, GatedQuestion } from "./pairs.js";

/** Whether baseline and candidate asked one model the same requests and read the same answers: then nothing was sampled anew. */
export function isIdentical({ baseline, candidate, questions, leftOut }: GatedArm): boolean {
  const known = [baseline, candidate].every(
    ({ requests, repeats }) => requests.length === repeats && !requests.includes(NOTHING_ASKED),
  );
  return (
    known &&
    leftOut.absent === 0 &&
    leftOut.failed === 0 &&
    baseline.model === candidate.model &&
    baseline.repeats === candidate.repeats &&
    baseline.requests.every((id, r) => id === candidate.requests[r]) &&
    questions.length > 0 &&
    questions.every(sameReadings)
  );
}

/** Repeat by repeat. */
const sameReadings = ({ baseline, candidate }: GatedQuestion): boolean =>
  baseline.length === candidate.length && baseline.every((pair, r) => pair?.prediction === candidate[r]?.prediction);

/** The id of no request at all: imported predictions and programs that ask nothing (manifests of earlier versions hold it). */
const NOTHING_ASKED = contentId([]);
