import { ModelError } from "../../errors.js";
import type { WaveFacts } from "../../types.js";
import type { Speaker } from "../failure.js";

/** A line that the provider gave back unanswered: unbilled, and worth another wave. */
export const lostLine = (speaker: Speaker, how: "expired" | "canceled"): ModelError =>
  new ModelError(
    `${speaker.model}: its batch ${how === "expired" ? "expired" : "was canceled"} before it was answered`,
    {
      retryable: true,
      bill: "none",
    },
  );

/** Whether a batch may hold a wave, by the time it was made. The clocks of two machines differ. */
export const createdAfter = (createdMs: number, { sinceMs }: WaveFacts): boolean =>
  Number.isNaN(createdMs) || createdMs >= sinceMs - CLOCKS_DIFFER_MS;

const CLOCKS_DIFFER_MS = 15 * 60_000;
