import type { ProviderSettings } from "../../../types/index.js";
import { malformed, type Speaker } from "../../wire/failure.js";
import { type Wire, withoutFields } from "../../wire/sdk.js";
import { readMessage } from "./reply.js";
import { toMessagesBody } from "./request.js";

/** Returns the Messages wire of a model. Not messages.create: it types no temperature and prints a warning per call of an ageing model. */
export const messagesWire = (
  modelId: string,
  speaker: Speaker,
  { cache = "auto", omit }: Pick<ProviderSettings, "cache" | "omit">,
): Wire => ({
  path: "/v1/messages",
  body: (request) => withoutFields(toMessagesBody(request, modelId, cache), omit),
  read(served, request) {
    const reply = readMessage(served, request);
    if ("misfit" in reply) throw malformed(speaker, reply.misfit, served);
    return reply;
  },
});
