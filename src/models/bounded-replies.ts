import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime";
import { MOST_REPLY_BYTES, tooLong } from "../retry/bounded-body.js";

/** Lets a client of the AWS SDK read no reply beyond `most` bytes: its call then fails with `TooLongReply`. */
export function boundReplies({ middlewareStack }: BedrockRuntimeClient, most = MOST_REPLY_BYTES): void {
  middlewareStack.add(
    (next) => async (given) => {
      const output = await next(given);
      const response = output.response as { body?: unknown }; // of the handler: Node's own
      if (response.body instanceof Readable) response.body = bounded(response.body, most);
      return output;
    },
    { name: "boundReplies", step: "deserialize", priority: "low" }, // before the SDK's own reading
  );
}

function bounded(body: Readable, most: number): Readable {
  let bytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > most) done(tooLong(most));
      else done(null, chunk);
    },
  });
  pipeline(body, counted).catch((error: Error) => counted.destroy(error)); // who reads it is told
  return counted;
}
