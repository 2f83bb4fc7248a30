import type * as z from "zod";
import { chatBody } from "./chat.js";
import { converseBody } from "./converse.js";
import { messagesBody } from "./messages.js";
import { responsesBody } from "./responses.js";

/** What a real server of this path would refuse in a body, in its manner; undefined where it takes it, and for other paths. */
export function bodyProblem(path: string, body: unknown): string | undefined {
  const schema = schemas.find(({ ending }) => path.endsWith(ending))?.schema;
  const read = schema?.safeParse(body);
  if (read === undefined || read.success) return undefined;
  return read.error.issues.map(placed).join("; ");
}

const schemas: readonly { readonly ending: string; readonly schema: z.ZodType }[] = [
  { ending: "/v1/messages", schema: messagesBody },
  { ending: "/converse", schema: converseBody },
  { ending: "/chat/completions", schema: chatBody },
  { ending: "/responses", schema: responsesBody },
];

const placed = (issue: z.core.$ZodIssue): string =>
  `${issue.path.map(String).join(".") || "body"}: ${issue.message}${issue.code === "invalid_union" ? ` ${JSON.stringify(issue.errors.flat().map(({ message, path }) => `${path.join(".")} ${message}`))}` : ""}`;
