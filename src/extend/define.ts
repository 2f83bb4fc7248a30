import type { EmbedderProvider } from "../embedders/provider.js";
import { choice, counted, decimal, flag, integer, text, thing, words } from "../registry/options.js";
import type { Judge, Method, Metric, OptionTable, Provider, Retriever, Selector, Task } from "../types/index.js";

/** A method whose options are typed by its own table. */
export const defineMethod = <const T extends OptionTable>(method: Method<T>): Method<T> => method;

export const defineSelector = <const T extends OptionTable>(selector: Selector<T>): Selector<T> => selector;

/** Each of these gives the thing back, checked against its type. */
export const defineTask = (task: Task): Task => task;
export const defineRetriever = (retriever: Retriever): Retriever => retriever;
export const defineMetric = (metric: Metric): Metric => metric;
export const defineJudge = (judge: Judge): Judge => judge;
export const defineEmbedder = (embedder: EmbedderProvider): EmbedderProvider => embedder;
export const defineProvider = (provider: Provider): Provider => provider;

/** The kinds of options that a thing can have. */
export const option = { integer, decimal, flag, text, choice, words, counted, thing };
