import type { TfIdfSettings } from "./tf-idf-terms.js";

/** One document of a corpus of many users. */
export interface GlobalDocument {
  /** The user it belongs to. */
  readonly owner: string;
  /** What is searched. */
  readonly text: string;
  /** What makes two documents twins; default: `text`. Case and spacing do not count. */
  readonly content?: string;
}

/** All of a global index, in arrays: what is saved, loaded, extended and searched. Documents are numbered from 0. */
export interface IndexParts {
  readonly settings: TfIdfSettings;
  /** Term to its number, in the order of the numbers. */
  readonly terms: ReadonlyMap<string, number>;
  /** By term. */
  readonly idf: Float64Array;
  /** The postings of term t are those from offsets[t] up to offsets[t + 1], documents ascending. */
  readonly offsets: Uint32Array;
  /** By posting: the document, and how often the term stands in it (65,535 at most). */
  readonly documents: Uint32Array;
  readonly counts: Uint16Array;
  /** By document: 1 / length of its TF-IDF vector; 0 for a document without a known term. */
  readonly inverseNorms: Float64Array;
  /** By document: its place in `ownerNames`. */
  readonly owners: Uint32Array;
  readonly ownerNames: readonly string[];
  /** By document: the key of its content, two numbers each. */
  readonly contentKeys: Uint32Array;
}
