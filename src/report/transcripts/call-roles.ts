import { readNote } from "../../notes/read-note.js";
import type { ModelRequest, Trace } from "../../types.js";

/** What a request to choose past events ends with: the form of the list that is to come back. */
const LIST_FORM = 'Answer with JSON only: {"chosen"';

/**
 * What each call of a question is for, where a selector asked a model: a heading a call, in their order. Undefined where none
 * did. A call that fits no form has no word of its own.
 */
export function callRoles(
  { notes }: Pick<Trace, "notes">,
  calls: readonly { readonly request: ModelRequest }[],
): string[] | undefined {
  const told = notes.map(readNote);
  if (!told.some(({ kind }) => kind === "selection")) return undefined;
  const measures = told.some(({ kind }) => kind === "utilities");
  const draws = calls.map(({ request }) => drawOf(request));
  const isDrawn = (request: ModelRequest): boolean => draws.filter((draw) => draw === drawOf(request)).length > 1;
  const roles = calls.map(({ request }) => {
    if (asksForList(request)) return "which past events?";
    if (!measures) return undefined;
    if (request.logprobs !== undefined) return "how sure is the answer? (log probabilities)";
    return isDrawn(request) ? `how sure is the answer? (sample ${request.sample + 1})` : undefined;
  });
  if (roles.every((role) => role === undefined)) return undefined;
  const left = roles.filter((role) => role === undefined).length;
  return roles.map((role, at) => `call ${at + 1} of ${calls.length}${wordOf(role, left)}`);
}

const asksForList = ({ messages }: ModelRequest): boolean => {
  const last = messages.at(-1);
  return last?.role === "user" && last.content.includes(LIST_FORM);
};

/** Samples of one prompt have this in common. */
const drawOf = ({ system, messages, temperature }: ModelRequest): string =>
  JSON.stringify([system, messages, temperature]);

/** The one call that neither chooses nor measures answers. */
const wordOf = (role: string | undefined, left: number): string =>
  role !== undefined ? `: ${role}` : left === 1 ? ": the answer" : "";
