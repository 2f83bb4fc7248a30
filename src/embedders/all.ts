export { embedded } from "./embedded.js";
export { onnx } from "./onnx.js";
export { openai } from "./openai.js";
export { useLite } from "./use-lite.js";
