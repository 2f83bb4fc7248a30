import type { RawItem } from "../types/index.js";
import type { RecordReader } from "./record.js";

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Reads `[{"role", "content"}]`. `what` names the list in errors. */
export function readMessages(list: readonly unknown[], what: string, reader: RecordReader): ChatMessage[] {
  return list.map((value, index) => {
    const { role, content } = Object(value) as { role?: unknown; content?: unknown };
    if ((role !== "system" && role !== "user" && role !== "assistant") || typeof content !== "string")
      return reader.fail(
        `${what}, message ${index + 1}: expected {"role": system, user or assistant, "content": text}`,
      );
    return { role, content };
  });
}

/**
 * A chat as past items, oldest first, each a message of the user with the reply to it: `text` is all that was said, `said` what the user said. A system message opens a session,
 * and stands in front of its first item.
 */
export function chatItems(messages: readonly ChatMessage[]): RawItem[] {
  const items: RawItem[] = [];
  let [session, round] = [0, 0];
  let open: { lines: string[]; said: string[]; answered: boolean } | undefined;
  const close = (): void => {
    if (open === undefined) return;
    round += 1;
    const id = `s${session}.r${round}`;
    const [text, said] = [open.lines.join("\n"), open.said.join("\n")];
    items.push({ id, session: String(session), text, said: said === "" ? text : said });
    open = undefined;
  };
  for (const { role, content } of messages) {
    const isNewSession = role === "system" || session === 0;
    if (isNewSession || (role === "user" && open?.said.length !== 0)) close();
    if (isNewSession) [session, round] = [session + 1, 0];
    open ??= { lines: [], said: [], answered: false };
    open.lines.push(`${NAMES[role]}: ${content}`);
    if (role === "user") open.said.push(content);
  }
  close();
  return items;
}

const NAMES = { system: "[System]", user: "User", assistant: "Assistant" } as const;
