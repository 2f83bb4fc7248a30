import type * as z from "zod";
import { UsageError } from "../errors.js";
import { oneLine } from "./file-trouble.js";

type Issue = z.core.$ZodIssue;

/** Says what a value had to be: `expected a number, not text`. Own messages of a schema stand as they are. */
export function issueText(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type": {
      const given = /received (\w+)/.exec(issue.message)?.[1];
      return `expected ${spelled(issue.expected)}${given === undefined ? "" : `, not ${spelled(given)}`}`;
    }
    case "too_small":
      if (issue.origin === "string")
        return issue.message.startsWith("Too small") ? "expected text that is not empty" : issue.message;
      return `expected ${issue.inclusive === false ? `more than ${issue.minimum}` : `${issue.minimum} or more`}`;
    case "too_big":
      return `expected ${issue.inclusive === false ? `less than ${issue.maximum}` : `${issue.maximum} or less`}`;
    case "invalid_value":
      return `expected ${issue.values.length === 1 ? "" : "one of "}${issue.values.join(", ")}`;
    case "invalid_union": {
      const kinds = issue.errors.flatMap(([first]) =>
        first?.code === "invalid_type" && first.path.length === 0 ? [spelled(first.expected)] : [],
      );
      return kinds.length === 0 ? plain(issue.message) : `expected ${[...new Set(kinds)].join(" or ")}`;
    }
    case "invalid_format":
      return issue.format === "url" ? "not a URL; expected one like http://localhost:8000/v1" : plain(issue.message);
    default:
      return plain(issue.message);
  }
}

/** Where a schema was broken first, and how: `golds.0.id: expected text, not a number`. */
export function placedIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "the file";
  return `${issue.path.join(".") || "the file"}: ${issueText(issue)}`;
}

const NAMES: Readonly<Record<string, string>> = {
  number: "a number",
  int: "a whole number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "names with values",
  record: "names with values",
  undefined: "nothing",
  null: "nothing",
};

const spelled = (type: string): string => NAMES[type] ?? type;

const plain = (message: string): string => message.replace(/^Invalid input: |^Too (small|big): /, "");

/** A text's JSON as the schema has it. Throws UsageError that begins with `where` and ends with what was expected. */
export function readJson<T>(schema: z.ZodType<T>, text: string, where: string, expected = ""): T {
  const hint = expected === "" ? "" : `; ${expected}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${where}: not JSON: ${oneLine(error)}${hint}`);
    throw error;
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  throw new UsageError(`${where}: ${placedIssue(read.error)}${hint}`);
}
