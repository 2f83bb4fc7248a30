export type { LabelSource } from "./citation-labels.js";
export { doubtfulFacts, type LoadSettings, loadDataset } from "./load.js";
export { dataOptions, QUESTION_IDS } from "./options.js";
export { type OthersSettings, othersOf, poolOf } from "./others.js";
export { type Seen, seenOf } from "./seen.js";
export type { Split } from "./source.js";
export { streamsOf } from "./stream.js";
export { type UnitSettings, type Units, unitsOf } from "./units.js";
export type { Visibility } from "./visible.js";
