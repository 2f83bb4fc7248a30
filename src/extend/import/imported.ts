import { ModelError } from "../../errors.js";
import { type Catalogue, extended } from "../../plan/catalogue.js";
import type { Identity, Manifest } from "../../record/manifest.js";
import { text } from "../../registry/options.js";
import { contentId } from "../../text/content-id.js";
import type { Method } from "../../types/index.js";

/** The prediction of a question in the file of a repeat; undefined where it has none. */
type Prediction = (repeat: number, question: string) => string | undefined;

interface ImportedMethod {
  readonly name: string;
  /** One a repeat. */
  readonly files: NonNullable<Identity["imported"]>;
  /** A simulated model answered. */
  readonly simulated: boolean;
}

/** Makes a method whose answers are read from predictions files, by `prediction`, and then from the run's log. */
export function importedMethod({ name, files, simulated }: ImportedMethod, prediction: Prediction): Method {
  const content = contentId(files.map(({ sha256 }) => sha256));
  const named = files.map((file) => file.name).join(", ");
  return {
    name,
    summary: "predictions of another program",
    source: "lamp-eval import",
    options: { "import.files": text({ default: content.slice(0, 12), help: "import: content id of the files" }) },
    callsElsewhere: true,
    imported: { files, simulated },
    remarks: () => [`imported from ${named}: calls, tokens and cost are unknown`],
    personalize: async () => async (question, kit) => {
      kit.note({ kind: "imported", data: named });
      return kit.program({ imported: content, question: question.id }, async (_, { repeat }) => {
        const output = prediction(repeat, question.id);
        if (output !== undefined) return output;
        throw new ModelError(`no prediction in ${files[repeat]?.name}`, { retryable: false });
      });
    },
    plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
  };
}

/** Adds the method that a run was imported as, whose answers stand in its log only. */
export function withImported(
  catalogue: Catalogue,
  { identity, simulated }: Pick<Manifest, "identity" | "simulated">,
): Catalogue {
  const { imported: files, arms } = identity;
  const name = arms[0]?.method;
  if (files === undefined || name === undefined) return catalogue;
  const method = importedMethod({ name, files, simulated }, () => undefined);
  return extended(catalogue, { methods: [method] }, "lamp-eval import");
}
