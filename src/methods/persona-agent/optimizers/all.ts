export { langmem } from "./langmem.js";
export { paper } from "./paper.js";
export { textgrad } from "./textgrad.js";
