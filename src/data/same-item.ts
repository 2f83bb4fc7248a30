import { canonicalJson } from "../text/content-id.js";
import type { RawItem } from "../types.js";

/**
 * What makes two profile items the same one: all fields but the id. Official files number items per question in some
 * tasks (PROTOCOL 1), so equal ids do not mean equal items, nor other ids other items.
 */
export function itemKey(item: RawItem): string {
  return canonicalJson({ ...item, id: undefined });
}
