import { registry } from "../../../registry/registry.js";
import { linguistic } from "./linguistic.js";
import { named } from "./named.js";
import { released } from "./released.js";

export type { Concept, ReadConcepts } from "./concept-reader.js";

/** Every way of finding concepts, by the name typed behind `graph.concepts=`. */
export const conceptReaders = registry("concept reader", [linguistic, named, released]);
