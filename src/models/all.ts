export { anthropic } from "./anthropic.js";
export { bedrock } from "./bedrock.js";
export { offline } from "./offline/index.js";
export { openai } from "./openai.js";
