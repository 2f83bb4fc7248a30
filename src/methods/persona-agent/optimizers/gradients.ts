import type { Kit } from "../../../types.js";
import { inOrder } from "../held-notes.js";
import type { Sample } from "../sample.js";
import { withoutFailedCall } from "../without-failed-call.js";
import type { Gradient } from "./optimizer.js";

/** Tokens of one feedback text (METHODS 0.4). */
export const GRADIENT_TOKENS = 1024;

/** Feedback on each sample, asked for side by side, in batch order. A sample whose call failed or said nothing is dropped and counted. */
export async function gradientsOf(
  samples: readonly Sample[],
  kit: Kit,
  ask: (sample: Sample, kit: Kit) => Promise<string>,
): Promise<readonly Gradient[]> {
  const gradients = await inOrder(samples, kit, async (sample, sampleKit) => {
    const text = await withoutFailedCall("gradient-failed", sampleKit, () => ask(sample, sampleKit));
    if (text === "") sampleKit.count("gradient-empty");
    return text === undefined || text === "" ? undefined : { event: sample.event.id, text };
  });
  return gradients.filter((gradient) => gradient !== undefined);
}
