import { canonicalJson } from "../text/content-id.js";
import type { RawItem } from "../types.js";

/**
 * The key of a profile item: all its fields but the id, so items with equal keys are the same item. Ids do not tell: in
 * some tasks the official files number items anew for every question (PROTOCOL 1).
 */
export function itemKey(item: RawItem): string {
  return canonicalJson({ ...item, id: undefined });
}
