import { fromYaml } from "./from-yaml.js";

/** A made-up researcher's field: what is solved, and with what. */
export interface Field {
  readonly problems: readonly string[];
  readonly methods: readonly string[];
}

export const FIELDS: readonly Field[] = fromYaml("fields.yaml");
