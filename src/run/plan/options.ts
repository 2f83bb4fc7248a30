import { UsageError } from "../../errors.js";
import { choice, text } from "../../registry/options.js";
import type { Option, OptionValue } from "../../types/index.js";

/** Knobs of the whole run, set like any other with `--set`. */
export const runOptions = {
  /** PersonaAgent (appendix E) gives 0.1 for all calls. `none` sends no temperature. */
  temperature: temperature(0.1),
  embedder: text({ default: "embedded/hashed-1", help: "encoder of dense retrieval, provider/model-id" }),
  "embedder.baseUrl": text({
    default: "",
    help: "address of an openai embedder's server; empty: OPENAI_BASE_URL or OpenAI",
  }),
  /** METHODS 3.2: contriever ranks by the raw dot product. */
  "embedder.similarity": choice({
    default: "cosine",
    of: ["cosine", "dot"],
    help: "compare vectors by cosine, or by dot product of the model's own lengths (contriever)",
  }),
} as const;

function temperature(fallback: number): Option<number | undefined> {
  const accepts = "a number from 0 to 2, or none";
  const read = (name: string, value: OptionValue): number | undefined => {
    if (value === "none") return undefined;
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number === "number" && number >= 0 && number <= 2) return number;
    throw new UsageError(`${name}=${value}: expected ${accepts}`);
  };
  return {
    default: fallback,
    accepts,
    help: "sampling temperature of every call",
    read,
    canonical: (name, value) => read(name, value) ?? "none",
  };
}
