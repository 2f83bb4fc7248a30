export { allEvents } from "./all-events.js";
export { file } from "./file.js";
export { llmFew, llmZero } from "./llm.js";
export { none } from "./none.js";
export { rumsLogreg } from "./rums/logreg.js";
export { rums } from "./rums/rums.js";
export { similar } from "./similar.js";
