import { registry } from "../registry/registry.js";
import { retrievers } from "../retrievers/index.js";
import type { Registry, Selector } from "../types/index.js";
import { allEvents, none } from "./always.js";
import { file } from "./file.js";
import { decideFew, decideZero, llmFew, llmZero } from "./llm.js";
import { retrieverSelector } from "./of-retriever.js";
import { rumsBinary, rumsMulti } from "./rums/classifiers.js";
import { rumsSelector } from "./rums/rums.js";

const own = (
  [allEvents, decideFew, decideZero, file, llmFew, llmZero, none, rumsSelector, rumsBinary, rumsMulti] as Selector[]
).sort((a, b) => (a.name < b.name ? -1 : 1)); // each reads its own options, which come with its name

/** Every selector, by the name typed behind `select=`. Each retriever is one. */
export const selectors: Registry<Selector> = registry<Selector>("selector", [
  ...own,
  ...retrievers.all.map(retrieverSelector),
]);
