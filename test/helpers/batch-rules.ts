/** What the documentation's field tables say of batches: every breach is one line. Written without a look at the code. */

const ID = /^[a-zA-Z0-9_-]{1,64}$/;
type Fields = Readonly<Record<string, unknown>>;

const messageFields = new Set(
  "model max_tokens messages system temperature top_p top_k stop_sequences tools tool_choice thinking output_config metadata service_tier cache_control".split(
    " ",
  ),
);
const chatFields = new Set(
  "model messages max_tokens max_completion_tokens temperature top_p stop n logprobs top_logprobs tools tool_choice parallel_tool_calls reasoning_effort seed response_format prompt_cache_key prompt_cache_options store metadata service_tier".split(
    " ",
  ),
);

const responseFields = new Set(
  "model input instructions max_output_tokens store include reasoning temperature top_p top_logprobs tools tool_choice parallel_tool_calls prompt_cache_key prompt_cache_options service_tier text metadata".split(
    " ",
  ),
);

/** POST /v1/messages/batches. */
export function messageBatchBreaches(body: Fields): string[] {
  const { requests, ...more } = body;
  if (!Array.isArray(requests) || requests.length < 1 || requests.length > 100_000) return ["requests: 1 to 100,000"];
  return [
    ...unknownFields("batch", more, new Set()),
    ...idBreaches(requests.map(({ custom_id }) => custom_id)),
    ...requests.flatMap(({ custom_id: _, params, ...rest }) => [
      ...unknownFields("request", rest, new Set()),
      ...unknownFields("params", params, messageFields),
      ...(params.stream === undefined && params.max_tokens >= 1 ? [] : ["params: no stream, max_tokens of 1 or more"]),
    ]),
  ];
}

/** POST /v1/batches, and the lines of the file that it names. */
export function openaiBatchBreaches(body: Fields, lines: readonly Fields[]): string[] {
  const { input_file_id: _, endpoint, completion_window, metadata = {}, output_expires_after: __, ...more } = body;
  const pairs = Object.entries(metadata as Fields);
  const isMeta = pairs.length <= 16 && pairs.every(([k, v]) => k.length <= 64 && String(v).length <= 512);
  return [
    ...unknownFields("batch", more, new Set()),
    ...(["/v1/chat/completions", "/v1/responses"].includes(String(endpoint)) ? [] : ["endpoint"]),
    ...(completion_window === "24h" ? [] : ["completion_window: 24h"]),
    ...(isMeta ? [] : ["metadata"]),
    ...(lines.length >= 1 && lines.length <= 50_000 ? [] : ["lines: 1 to 50,000"]),
    ...idBreaches(lines.map(({ custom_id }) => custom_id)),
    ...(new Set(lines.map(({ body: of }) => (of as Fields).model)).size === 1 ? [] : ["one model a file"]),
    ...lines.flatMap(({ custom_id: ___, method, url, body: asked, ...rest }) => [
      ...unknownFields("line", rest, new Set()),
      ...(method === "POST" && url === endpoint ? [] : [`line: ${method} ${url}`]),
      ...unknownFields("body", asked as Fields, url === "/v1/responses" ? responseFields : chatFields),
      ...((asked as Fields).stream === undefined ? [] : ["body: stream"]),
    ]),
  ];
}

const unknownFields = (where: string, fields: Fields, known: ReadonlySet<string>): string[] =>
  Object.keys(fields)
    .filter((name) => !known.has(name))
    .map((name) => `${where}: ${name} is no field`);

function idBreaches(ids: readonly unknown[]): string[] {
  const odd = ids.filter((id) => typeof id !== "string" || !ID.test(id)).map((id) => `custom_id ${id}`);
  return new Set(ids).size === ids.length ? odd : [...odd, "custom_id twice"];
}
