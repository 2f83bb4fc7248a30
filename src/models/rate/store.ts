import type { LaneState } from "./lane-state.js";

/**
 * Where the state of one server's limits is. In one process it is memory; processes that share an account can put the same
 * plain data behind a lock: every change is one call of `update`, which sees the state of before and leaves the new one.
 */
export interface LaneStore {
  update<T>(change: (state: LaneState) => T): T;
}

export function inMemory(state: LaneState): LaneStore {
  return { update: (change) => change(state) };
}
