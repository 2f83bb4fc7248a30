import { registry } from "../registry/registry.js";
import { bm25 } from "./bm25.js";
import { bm25Wink } from "./bm25-wink.js";
import { dense } from "./dense.js";
import { random } from "./random.js";
import { recency } from "./recency.js";
import { tfIdf } from "./tf-idf.js";

/** Every retriever, by the name typed on the command line. */
export const retrievers = registry("retriever", [bm25, bm25Wink, dense, random, recency, tfIdf]);
