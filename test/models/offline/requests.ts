import { lexical } from "../../../src/models/providers/offline/lexical.js";
import type { Event, Message, ModelReply, ModelRequest, RawItem, Task } from "../../../src/types/index.js";

/** A request with one user turn. */
export function requestOf(content: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const messages: Message[] = [{ role: "user", content }];
  return { messages, maxTokens: 1024, sample: 0, ...more };
}

export const replyTo = (content: string, more: Partial<ModelRequest> = {}): ModelReply =>
  lexical(requestOf(content, more));

export function eventsOf(task: Task, items: readonly Record<string, string>[]): Event[] {
  return items.map((item, i) => task.event({ id: `e${i}`, date: `2020-01-0${i + 1}`, ...item } as RawItem));
}

/** A movie question in the official wording. */
export const movieQuestion = (plot: string): string =>
  "Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. " +
  "tags: [sci-fi, based on a book, comedy, action, twist ending, dystopia, dark comedy, classic, psychology, fantasy, romance, " +
  `thought-provoking, social commentary, violence, true story] description: ${plot}`;
