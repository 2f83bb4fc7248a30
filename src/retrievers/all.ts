export { bm25 } from "./bm25.js";
export { bm25Wink } from "./bm25-wink.js";
export { dense } from "./dense.js";
export { random } from "./random.js";
export { recency } from "./recency.js";
export { tfIdf } from "./tf-idf.js";
