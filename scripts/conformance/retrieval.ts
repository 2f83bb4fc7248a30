import { rankBm25 } from "../../src/retrievers/bm25.js";
import { numpyArgsort } from "../../src/retrievers/numpy-argsort.js";
import { pySplit } from "../../src/text/python.js";
import { difference, each, expectError, type Sections } from "./section.js";

/** Scores may differ so much (a vector's own rounding); orders may not differ at all. */
const SCORE_TOLERANCE = 1e-9;

export const sections: Sections = {
  bm25: each<Bm25Vector>(checkBm25, ({ tag }, index) => `#${index} ${tag ?? ""}`),
  argsort: each<ArgsortVector>(({ values, argsort }) => difference([...numpyArgsort(values)], argsort)),
};

interface Bm25Vector {
  readonly tag?: string;
  readonly tokenizer: string;
  readonly docs: readonly string[];
  readonly query: string;
  readonly scores?: readonly number[];
  readonly order?: readonly number[];
  readonly top3?: readonly number[];
  readonly error?: unknown;
}

interface ArgsortVector {
  readonly values: readonly number[];
  readonly argsort: readonly number[];
}

/** LaMP cuts texts by Python's `str.split()`, OPPU by `str.split(" ")`. */
const tokenizers: ReadonlyMap<string, (text: string) => string[]> = new Map([
  ["split", pySplit],
  ["split_space", (text: string) => text.split(" ")],
]);

function checkBm25(vector: Bm25Vector): string | undefined | Promise<string | undefined> {
  const tokenize = tokenizers.get(vector.tokenizer);
  if (tokenize === undefined) return `unknown tokenizer ${vector.tokenizer}`;
  const run = () => rankBm25(vector.docs.map(tokenize), tokenize(vector.query));
  if (vector.error !== undefined) return expectError(run);
  const { scores, order } = run();
  return (
    difference([...scores], vector.scores, SCORE_TOLERANCE, "scores") ??
    difference([...order], vector.order, 0, "order") ??
    (vector.top3 === undefined ? undefined : difference([...order.subarray(0, 3)], vector.top3, 0, "top3"))
  );
}
