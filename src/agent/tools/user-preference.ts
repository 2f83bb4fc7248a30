import { jsonIn } from "../../text/json.js";
import type { Json, Tool } from "../../types/index.js";

/** The tool's user and answers. */
interface Preferences {
  /** The one user that is known. */
  readonly user: string;
  /** The answer to a question about the user's preferences, and the history events that it was made from. */
  ask(query: string): Promise<{ readonly answer: string; readonly events: readonly string[] }>;
}

const FORMAT_REMINDER =
  'The input must be a JSON object with two fields: {"query": "a question about the user\'s preferences", "user_name": "the name of the user"}.';

/** The tool's description after SAGE section 5.1.3, in our words. */
const DESCRIPTION = [
  "Answers questions about the preferences of a user, from the user's profile and past interactions.",
  "Use it whenever the answer depends on what this user likes, chooses or avoids.",
  "Input: a JSON object with two fields: query, a question about the preferences, and user_name.",
].join(" ");

/** The `user_preference` tool (METHODS 10). Malformed input is answered by a reminder of the form, an unknown user by the known one. */
export function userPreferenceTool({ user, ask }: Preferences): Tool {
  return {
    name: "user_preference",
    description: DESCRIPTION,
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "a question about the user's preferences" },
        user_name: { type: "string", enum: [user], description: "the name of the user" },
      },
      required: ["query", "user_name"],
      additionalProperties: false,
    },
    async run(input, use) {
      const request = readInput(input);
      if (request === undefined) {
        use.count("sage-format-reminder");
        return FORMAT_REMINDER;
      }
      if (request.user !== user) {
        use.count("sage-unknown-user");
        return `There is no user "${request.user}". The known users are: ${user}.`;
      }
      const { answer, events } = await ask(request.query);
      use.note({ kind: "preference", data: { query: request.query, events, answer } });
      return answer;
    },
  };
}

/** Returns both fields as text, from an object or from JSON text; undefined where one is missing or empty. */
function readInput(input: Json): { readonly query: string; readonly user: string } | undefined {
  const value = typeof input === "string" ? jsonIn(input) : input;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { query, user_name: user } = value as { readonly [name: string]: Json };
  if (typeof query !== "string" || typeof user !== "string" || query.trim() === "") return undefined;
  return { query: query.trim(), user: user.trim() };
}
