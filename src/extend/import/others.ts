import { isObject } from "../../text/json.js";

/** Returns the entries of a result file of inspect_ai (log as JSON) or promptfoo; undefined where it is neither. */
export function resultsOf(whole: unknown): readonly unknown[] | undefined {
  if (!isObject(whole)) return undefined;
  const { samples, results } = whole;
  if (Array.isArray(samples)) return samples;
  return isObject(results) && Array.isArray(results.results) ? results.results : undefined;
}

/**
 * Returns id and answer, under these names, of a sample of inspect_ai or lm-evaluation-harness, or a result of promptfoo; any other
 * entry as it is. The id may be a field of what the evaluator was given: `metadata`, `doc`, `vars`. A sample that failed has no answer.
 */
export function plainEntry(entry: unknown, id: string, prediction: string): unknown {
  if (!isObject(entry)) return entry;
  const { output, metadata, doc, doc_id, filtered_resps: replies, vars, response } = entry;
  const of = (given: unknown, answer: unknown, usual?: unknown) => {
    const own = isObject(given) ? given[id] : undefined;
    return { [id]: own ?? entry[id] ?? usual, [prediction]: answer ?? null };
  };
  if (isObject(output) && Array.isArray(output.choices)) return of(metadata, completionOf(output.choices[0]));
  if (isObject(doc) && Array.isArray(replies)) return of(doc, replies[0], doc_id);
  if (isObject(vars) && "promptIdx" in entry) return of(vars, isObject(response) ? response.output : undefined);
  return entry;
}

/** Returns the text of a choice of inspect_ai: its content is text, or a list of parts. */
function completionOf(choice: unknown): unknown {
  const content = isObject(choice) && isObject(choice.message) ? choice.message.content : undefined;
  if (!Array.isArray(content)) return content;
  return content.flatMap((part) => (isObject(part) && part.type === "text" ? [String(part.text)] : [])).join("\n");
}
