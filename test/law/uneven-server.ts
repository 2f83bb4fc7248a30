import { lexical } from "../../src/models/providers/offline/lexical.js";
import { sha256 } from "../../src/text/content-id.js";
import { lexicalReply, messagesWire } from "../helpers/lexical-server.js";
import { type ProviderServer, startProviderServer } from "../helpers/provider-server.js";

/** Takes a temperature, unlike the current models of the provider. */
export const servedModel = "anthropic/claude-haiku-4-5";

const wire = messagesWire(1024);

/**
 * The body of the embedded model's reply to a body of the Messages API.
 * @param draw with a temperature, equal bodies get other replies at another draw
 */
// biome-ignore lint/suspicious/noExplicitAny: a served body
export function answerOf(body: any, draw = 0): unknown {
  const reply = lexical({ ...wire.request(body), sample: draw, temperature: body.temperature ?? 0 });
  return lexicalReply(wire, body, reply, { in: JSON.stringify(body.messages).length, read: 0, written: 0, out: 1 });
}

interface UnevenSettings {
  /** Requests that are refused whenever they are sent; equal ones then get equal replies. Absent: none. */
  // biome-ignore lint/suspicious/noExplicitAny: a served body
  readonly fails?: (body: any) => boolean;
}

/** The embedded model behind HTTP. Calls take 1 to 15 ms (with `fails` to 5), by their content, so that replies do not come in the order of calls. */
export function startUnevenServer({ fails }: UnevenSettings = {}): Promise<ProviderServer> {
  return startProviderServer({
    reply: ({ path, body, attempt }) =>
      path.endsWith("/embeddings") ? undefined : answerOf(body, fails ? 0 : attempt),
    fault({ body }) {
      const digits = sha256(JSON.stringify(body));
      const words = digits.replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)]!); // equal refusals would end the run
      const headers = { "request-id": words, "x-request-id": words }; // as it came, not as the how manieth
      if (fails?.(body)) return { kind: "status", status: 400, headers, message: `refused: ${words.slice(0, 12)}` };
      return { kind: "slow", delayMs: 1 + (Number.parseInt(digits.slice(0, 6), 16) % (fails ? 5 : 15)) };
    },
  });
}
