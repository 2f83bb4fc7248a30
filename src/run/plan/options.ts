import { choice, temperature, text } from "../../registry/options.js";

/** Knobs of the whole run, set like any other with `--set`. */
export const runOptions = {
  /** PersonaAgent (appendix E) gives 0.1 for all calls. `none` sends no temperature. */
  temperature: temperature({ default: 0.1, help: "sampling temperature of every call" }),
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
