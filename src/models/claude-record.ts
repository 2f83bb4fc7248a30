import type { ModelEndpoint, ServerFacts } from "../types.js";
import type { ClaudeFamily } from "./claude.js";
import { fieldsOf } from "./read-reply.js";

/**
 * Anthropic's record of a model that the table of families does not know (`GET /v1/models/ID`, free): its limits, when it ends, and
 * how its thinking is kept short. What the record says is not supported would be refused.
 */
export class ClaudeRecord implements ModelEndpoint {
  readonly notApplied: readonly string[] = [];
  readonly #unknown: ClaudeFamily;
  #facts: ServerFacts = { api: "messages" };

  constructor(unknown: ClaudeFamily) {
    this.#unknown = unknown;
  }

  get facts(): ServerFacts {
    return this.#facts;
  }

  recall(facts: ServerFacts): void {
    this.#facts = facts;
  }

  /** The rules that its requests follow: those of unknown ids until it is read. */
  get family(): ClaudeFamily {
    const { changed = [] } = this.#facts;
    const { thinking, effort } = shortened.find(({ name }) => changed.includes(name)) ?? {};
    return {
      ...this.#unknown,
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { effort }),
    };
  }

  read(served: unknown): void {
    const { max_input_tokens: most, max_tokens: out, retires_at: retires, capabilities } = fieldsOf(served);
    const said = fieldsOf(capabilities);
    const types = fieldsOf(fieldsOf(said.thinking).types);
    const efforts = fieldsOf(said.effort);
    const short = shortened.find(
      ({ thinking = "", effort = "" }) => isTaken(types[thinking]) || isTaken(efforts[effort]),
    );
    this.#facts = {
      api: "messages",
      ...(short === undefined ? {} : { changed: [short.name] }),
      record: {
        ...(typeof most === "number" ? { in: most } : {}),
        ...(typeof out === "number" ? { out } : {}),
        ...(typeof retires === "string" ? { retires } : {}),
      },
    };
  }
}

/** Ways to keep thinking short, the shortest first; requests follow the first that the record says is taken. */
const shortened: readonly ({ readonly name: string } & Pick<ClaudeFamily, "thinking" | "effort">)[] = [
  { name: "thinking is disabled", thinking: "disabled" },
  { name: "thinking is between_tools", thinking: "between_tools" },
  { name: "effort is low", effort: "low" },
];

const isTaken = (said: unknown): boolean => fieldsOf(said).supported === true;
