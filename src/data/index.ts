export { doubtfulFacts, type LoadSettings, loadDataset } from "./load.js";
export { dataOptions, QUESTION_IDS } from "./options.js";
export { othersOf } from "./others.js";
export { seenOf } from "./seen.js";
export { unitsOf } from "./units.js";
