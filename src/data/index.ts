export { doubtfulFacts, type LoadSettings, loadDataset } from "./load.js";
export { dataOptions } from "./options.js";
export { othersOf, seenOf } from "./others.js";
export { unitsOf } from "./units.js";
