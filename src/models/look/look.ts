import { isSecretName } from "../../secrets/name.js";
import { redactor } from "../../secrets/redactor.js";
import { urlSecrets } from "../../secrets/url.js";
import { oneLine } from "../../text/one-line.js";
import type { Json, Look } from "../../types.js";
import { keepAliveFetch } from "../http-fetch.js";
import { fieldsOf } from "../read-reply.js";

/** A request that costs nothing, and how its answer is read. */
export interface FreeRequest {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST where there is one, else GET. */
  readonly body?: Json;
  /** Undefined: it says nothing of use. */
  read(said: Readonly<Record<string, unknown>>): Omit<Look, "name"> | undefined;
  /** Not every server of this kind has it: a refusal is no fault and not told. */
  readonly rare?: boolean;
}

/** English prose that tokens are counted of. */
export const SAMPLE_TEXT =
  "The harbour town voted on Tuesday to keep its old ferry for another ten years. The council had asked engineers whether a bridge would be cheaper, and the answer was no: the water is deep, the winters are hard, and the ferry carries no more than four hundred people a day. ".repeat(
    4,
  );

/** Sends requests that cost nothing, one after the other. What fails is told, never thrown. */
export async function freeLooks(requests: readonly FreeRequest[], signal: AbortSignal): Promise<Look[]> {
  const send = keepAliveFetch(1);
  const looks: Look[] = [];
  for (const { name, url, headers, body, read, rare = false } of requests) {
    const look = (text: string): Look => ({ name, state: "warn", text });
    try {
      const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
      const kind = { "content-type": "application/json" };
      const response = await send(url, { ...init, headers: { ...kind, ...headers }, signal });
      const keys = Object.entries(headers).flatMap(([field, value]) =>
        isSecretName(field) ? [value.replace(/^Bearer /, "")] : [],
      );
      const said = redactor([...keys, ...urlSecrets(url)]).text(await response.text()); // before it is cut short
      if (!response.ok) {
        if (!rare) looks.push(look(`HTTP ${response.status}: ${said.slice(0, MOST_SHOWN).replaceAll(/\s+/g, " ")}`));
        continue;
      }
      const found = read(fieldsOf(parsed(said)));
      if (found !== undefined) looks.push({ name, ...found });
      else if (!rare) looks.push(look("answered with something else"));
    } catch (error) {
      if (!rare) looks.push(look(oneLine(error)));
    }
  }
  return looks;
}

/** A count of tokens of the sample, as a look. */
export function countLook(tokens: unknown): Omit<Look, "name"> | undefined {
  if (typeof tokens !== "number" || tokens <= 0) return undefined;
  const bytesPerToken = Number((Buffer.byteLength(SAMPLE_TEXT) / tokens).toFixed(2));
  return { state: "ok", text: `${bytesPerToken} bytes a token of English prose`, said: { bytesPerToken } };
}

/** Characters of a refusal. */
const MOST_SHOWN = 200;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
