declare module "natural/lib/natural/stemmers/porter_stemmer.js" {
  const stemmer: { stem(word: string): string };
  export default stemmer;
}

declare module "natural/lib/natural/tokenizers/regexp_tokenizer.js" {
  class RegexpTokenizer {
    /** `pattern` matches the gaps between tokens. */
    constructor(settings: { pattern: RegExp });
    tokenize(text: string): string[];
  }
  const module: { RegexpTokenizer: typeof RegexpTokenizer };
  export default module;
}

declare module "wink-bm25-text-search" {
  interface WinkEngine {
    defineConfig(config: {
      fldWeights: Readonly<Record<string, number>>;
      bm25Params?: { k1?: number; b?: number; k?: number };
    }): boolean;
    definePrepTasks(tasks: readonly ((text: string) => string[])[]): number;
    addDoc(document: Readonly<Record<string, string>>, id: string): number;
    /** `precision`: decimals of the stored weights, 4..9. */
    consolidate(precision?: number): boolean;
    search(text: string, limit?: number): [id: string, score: number][];
  }
  const engine: () => WinkEngine;
  export default engine;
}
