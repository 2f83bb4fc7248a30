import { sha256 } from "../../src/text/content-id.js";
import { replyBody } from "./provider-replies.js";
import {
  type ProviderServer,
  type ProviderServerSettings,
  type ServedRequest,
  startProviderServer,
} from "./provider-server.js";

/** Stands in the place of a real key. */
export const fakeKey = "sk-fake-0123456789abcdef";

/** A local OpenAI-compatible model of LaMP-3: to equal requests equal ratings, and now and then an unreadable reply. */
export function startRatedServer(settings: ProviderServerSettings = {}): Promise<ProviderServer> {
  return startProviderServer({ reply: (request) => chatReply(request, ratingOf(request)), ...settings });
}

/** The body of a chat completion that says `content`. */
export function chatReply(request: ServedRequest, content: string): unknown {
  const tokens = Math.ceil(promptOf(request).length / 4);
  return replyBody("chat", { model: request.body.model, text: content, usage: { in: tokens, out: 1 } });
}

/** The text of a request, all turns joined: one text, one request, as long as a run has one repeat. */
export function promptOf({ body }: Pick<ServedRequest, "body">): string {
  return (body.messages as { content: string }[]).map(({ content }) => content).join("\n");
}

function ratingOf(request: ServedRequest): string {
  const draw = Number.parseInt(sha256(promptOf(request)).slice(0, 6), 16) % 6;
  return draw === 0 ? "I cannot tell." : String(draw);
}
