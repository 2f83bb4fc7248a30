export { icl } from "./icl.js";
export { pag } from "./pag.js";
export { prompt } from "./prompt.js";
export { rag } from "./rag.js";
