import { writeContentKey } from "./content-key.js";
import type { GlobalDocument, IndexParts } from "./global-index-parts.js";
import { TermRows } from "./term-rows.js";
import { commonestTerms, smoothIdf, type TfIdfSettings, termTokens } from "./tf-idf-terms.js";

/** Learns vocabulary and idf from the documents and indexes them: scikit-learn's `fit_transform`. Reads them once. */
export function fitParts(documents: Iterable<GlobalDocument>, settings: TfIdfSettings): IndexParts {
  const tokenize = termTokens(settings.stopWords);
  const rows = new TermRows();
  const names = new Map<string, number>();
  const catalogue = new Catalogue();
  for (const document of documents) {
    rows.add(tokenize(document.text).map((token) => numberOf(token, names)));
    catalogue.add(document);
  }
  const { terms, renumbered } = keepTerms(names, rows, settings.maxFeatures);
  const postings = invert(rows, renumbered, terms.size);
  const idf = Float64Array.from({ length: terms.size }, (_, term) =>
    smoothIdf(rows.size, postings.offsets[term + 1]! - postings.offsets[term]!),
  );
  return { settings, terms, idf, ...postings, inverseNorms: inverseNorms(rows, renumbered, idf), ...catalogue.parts() };
}

/**
 * The index with further documents behind its own, weighed by the vocabulary and idf that it has: scikit-learn's
 * `transform` by a fitted vectorizer. Copies arrays, reads no old text.
 */
export function extendParts(parts: IndexParts, documents: Iterable<GlobalDocument>): IndexParts {
  const tokenize = termTokens(parts.settings.stopWords);
  const rows = new TermRows();
  const catalogue = new Catalogue(parts);
  for (const document of documents) {
    rows.add(tokenize(document.text).map((token) => parts.terms.get(token)));
    catalogue.add(document);
  }
  const same = new Int32Array(parts.terms.size);
  for (let term = 0; term < same.length; term++) same[term] = term;
  const added = invert(rows, same, parts.terms.size);
  return {
    ...parts,
    ...joined(parts, added, parts.inverseNorms.length),
    inverseNorms: concatenated(parts.inverseNorms, inverseNorms(rows, same, parts.idf)),
    ...catalogue.parts(),
  };
}

type Postings = Pick<IndexParts, "offsets" | "documents" | "counts">;

/** The number of a name; an unknown name gets the next one. */
function numberOf(name: string, numbers: Map<string, number>): number {
  let number = numbers.get(name);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(name, number);
  }
  return number;
}

/** Whose each document is and what it says; behind the documents of `before`. */
class Catalogue {
  private readonly ownerNumbers: Map<string, number>;
  private readonly owners: number[] = [];
  private readonly keys: number[] = [];
  private readonly key = new Uint32Array(2);

  private readonly before: IndexParts | undefined;

  constructor(before?: IndexParts) {
    this.before = before;
    this.ownerNumbers = new Map(before?.ownerNames.map((name, number) => [name, number]));
  }

  add({ owner, text, content = text }: GlobalDocument): void {
    this.owners.push(numberOf(owner, this.ownerNumbers));
    writeContentKey(content, this.key, 0);
    this.keys.push(this.key[0]!, this.key[1]!);
  }

  parts(): Pick<IndexParts, "owners" | "ownerNames" | "contentKeys"> {
    return {
      ownerNames: [...this.ownerNumbers.keys()],
      owners: behind(this.before?.owners, this.owners),
      contentKeys: behind(this.before?.contentKeys, this.keys),
    };
  }
}

/** The vocabulary that stays, and the new number of every old one, -1 for a term that is dropped. */
function keepTerms(names: Map<string, number>, rows: TermRows, maxFeatures: number | undefined) {
  const totals = new Float64Array(names.size);
  const { terms: entryTerms, counts } = rows;
  for (let entry = 0; entry < entryTerms.length; entry++) totals[entryTerms[entry]!]! += counts[entry]!;
  const kept = commonestTerms(names, totals, maxFeatures ?? names.size);
  const terms = new Map<string, number>();
  const renumbered = new Int32Array(names.size).fill(-1);
  for (const [name, term] of names) {
    if (kept[term] === 0) continue;
    renumbered[term] = terms.size;
    terms.set(name, terms.size);
  }
  return { terms, renumbered };
}

/** From entries by document to postings by term. */
function invert(rows: TermRows, renumbered: Int32Array, termCount: number): Postings {
  const { starts, terms: entryTerms, counts: entryCounts } = rows;
  const offsets = new Uint32Array(termCount + 1);
  for (let entry = 0; entry < entryTerms.length; entry++) {
    const term = renumbered[entryTerms[entry]!]!;
    if (term >= 0) offsets[term + 1]!++;
  }
  for (let term = 0; term < termCount; term++) offsets[term + 1]! += offsets[term]!;
  const next = offsets.slice();
  const documents = new Uint32Array(offsets[termCount]!);
  const counts = new Uint16Array(documents.length);
  for (let document = 0; document < rows.size; document++)
    for (let entry = starts[document]!; entry < starts[document + 1]!; entry++) {
      const term = renumbered[entryTerms[entry]!]!;
      if (term < 0) continue;
      const posting = next[term]!++;
      documents[posting] = document;
      counts[posting] = entryCounts[entry]!;
    }
  return { offsets, documents, counts };
}

function inverseNorms(rows: TermRows, renumbered: Int32Array, idf: Float64Array): Float64Array {
  const { starts, terms: entryTerms, counts } = rows;
  return Float64Array.from({ length: rows.size }, (_, document) => {
    let square = 0;
    for (let entry = starts[document]!; entry < starts[document + 1]!; entry++) {
      const term = renumbered[entryTerms[entry]!]!;
      if (term >= 0) square += (counts[entry]! * idf[term]!) ** 2;
    }
    return square === 0 ? 0 : 1 / Math.sqrt(square);
  });
}

/** Each term's postings in `a`, then those in `b`, whose documents are numbered from `shift`. */
function joined(a: Postings, b: Postings, shift: number): Postings {
  const documents = new Uint32Array(a.documents.length + b.documents.length);
  const counts = new Uint16Array(documents.length);
  let posting = 0;
  for (let term = 0; term + 1 < a.offsets.length; term++) {
    for (let i = a.offsets[term]!; i < a.offsets[term + 1]!; i++, posting++) {
      documents[posting] = a.documents[i]!;
      counts[posting] = a.counts[i]!;
    }
    for (let i = b.offsets[term]!; i < b.offsets[term + 1]!; i++, posting++) {
      documents[posting] = b.documents[i]! + shift;
      counts[posting] = b.counts[i]!;
    }
  }
  return { offsets: a.offsets.map((offset, term) => offset + b.offsets[term]!), documents, counts };
}

function behind(before: Uint32Array | undefined, added: readonly number[]): Uint32Array {
  const start = before?.length ?? 0;
  const both = new Uint32Array(start + added.length);
  if (before !== undefined) both.set(before);
  both.set(added, start);
  return both;
}

function concatenated(a: Float64Array, b: Float64Array): Float64Array {
  const both = new Float64Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
