import { registry } from "../../../registry.js";
import * as all from "./all.js";

export type { Concept, ReadConcepts } from "./concept-reader.js";

/** Every way of finding concepts, by the name typed behind `graph.concepts=`. */
export const conceptReaders = registry("concept reader", Object.values(all));
