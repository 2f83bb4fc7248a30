import type { Json, Kit } from "../../types.js";

/**
 * Runs jobs side by side and keeps what they note in the order of the jobs, so that a trace does not depend on timing.
 * Rejects with the first failed job's reason, in that order, after all have ended.
 */
export async function inOrder<T, R>(
  items: readonly T[],
  kit: Kit,
  job: (item: T, kit: Kit) => Promise<R>,
): Promise<R[]> {
  const held = items.map(() => [] as { kind: string; data: Json }[]);
  const running = items.map((item, index) =>
    job(item, { ...kit, note: (kind, data) => void held[index]?.push({ kind, data }) }),
  );
  const results = await Promise.allSettled(running);
  for (const { kind, data } of held.flat()) kit.note(kind, data);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
