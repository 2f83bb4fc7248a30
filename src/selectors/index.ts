import { type Registry, registry } from "../registry.js";
import { retrievers } from "../retrievers/index.js";
import type { Selector } from "../types.js";
import * as all from "./all.js";
import { retrieverSelector } from "./of-retriever.js";

/** Every selector, by the name typed behind `select=`; each retriever is one. */
export const selectors: Registry<Selector> = registry<Selector>("selector", [
  ...(Object.values(all) as Selector[]).sort((a, b) => (a.name < b.name ? -1 : 1)), // each reads its own options, which come with its name
  ...retrievers.all.map(retrieverSelector),
]);
