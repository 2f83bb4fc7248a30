export { anthropic } from "./anthropic/index.js";
export { bedrock } from "./bedrock/index.js";
export { offline } from "./offline/index.js";
export { openai } from "./openai/index.js";
