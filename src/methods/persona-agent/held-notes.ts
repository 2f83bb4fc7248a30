import type { Kit, Note } from "../../types.js";

/**
 * Runs jobs side by side and keeps what they note in the order of the jobs, so that a trace does not depend on timing.
 * Rejects with the first failed job's reason, in that order, after all have ended.
 */
export async function inOrder<T, R>(
  items: readonly T[],
  kit: Kit,
  job: (item: T, kit: Kit) => Promise<R>,
): Promise<R[]> {
  const held = items.map(() => [] as Note[]);
  const running = items.map((item, index) => job(item, { ...kit, note: (note) => void held[index]?.push(note) }));
  const results = await Promise.allSettled(running);
  for (const note of held.flat()) kit.note(note);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
