import { isAbsolute } from "node:path";
import { importTransformers } from "../../embedders/onnx.js";
import { UsageError } from "../../errors.js";
import { firstLine } from "../../text/file-trouble.js";

/** What a model for sequence classification says of a text, or of a pair of texts: its outputs before any squashing. */
type Classifier = (text: string, pair?: string) => Promise<readonly number[]>;

/** The part of transformers.js (4.x) that is used. */
interface Classifiers {
  readonly AutoTokenizer: {
    from_pretrained(name: string, options: object): Promise<(text: string, options: object) => object>;
  };
  readonly AutoModelForSequenceClassification: {
    from_pretrained(
      name: string,
      options: object,
    ): Promise<(inputs: object) => Promise<{ readonly logits?: { readonly data: unknown } }>>;
  };
}

/** Longest input: where BERT's positions end. */
const MAX_TOKENS = 512;

const opened = new Map<string, Promise<Classifier>>();

/** A model in ONNX files, loaded once: a folder in full (`optimum-cli export onnx --task text-classification`), or a name of the hub. */
export function openClassifier(name: string, load: () => Promise<unknown> = importTransformers): Promise<Classifier> {
  const known = opened.get(name) ?? classifierOf(name, load);
  opened.set(name, known);
  return known;
}

async function classifierOf(name: string, load: () => Promise<unknown>): Promise<Classifier> {
  const { AutoTokenizer, AutoModelForSequenceClassification } = (await load()) as Classifiers; // the package's form
  const options = isAbsolute(name) ? { local_files_only: true } : {};
  try {
    const tokenize = await AutoTokenizer.from_pretrained(name, options);
    const model = await AutoModelForSequenceClassification.from_pretrained(name, {
      ...options,
      dtype: "fp32",
      device: "cpu",
      session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 }, // outputs depend on the text alone
    });
    return async (text, pair) => {
      const inputs = tokenize(text, {
        ...(pair === undefined ? {} : { text_pair: pair }),
        truncation: true,
        max_length: MAX_TOKENS,
      });
      const { logits } = await model(inputs);
      if (!(logits?.data instanceof Float32Array))
        throw new UsageError(
          `${name}: gives no logits; export it with: optimum-cli export onnx --task text-classification`,
        );
      return [...logits.data];
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name}: cannot be loaded: ${firstLine(error)}; give a hub name or a folder in full`);
  }
}
