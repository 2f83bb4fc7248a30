import * as z from "zod";
import { objectSchema, someText, toolName, wordText } from "./shared.js";

/**
 * Request bodies of Bedrock's Converse, strictly: fields, types and lengths as in the Bedrock runtime API reference
 * (Converse and its data types) and its guide to prompt caching. The model stands in the path.
 */
export const converseBody = z
  .strictObject({
    system: z
      .array(z.union([z.strictObject({ text: wordText }), z.lazy(() => cachePoint)]))
      .min(1)
      .optional(),
    messages: z.array(z.lazy(() => message)).min(1),
    inferenceConfig: z
      .strictObject({
        maxTokens: z.int().min(1),
        temperature: z.number().min(0).max(1).optional(),
        stopSequences: z.array(someText).min(1).max(2500).optional(),
      })
      .optional(),
    toolConfig: z
      .strictObject({
        tools: z.array(z.lazy(() => tool)).min(1),
        toolChoice: z.strictObject({ auto: z.strictObject({}) }).optional(),
      })
      .optional(),
    additionalModelRequestFields: z.record(z.string(), z.unknown()).optional(),
  })
  .refine(({ messages }) => messages[0]?.role === "user", "a conversation begins with the user")
  .refine(({ messages }) => messages.every((turn, i) => turn.role !== messages[i - 1]?.role), "roles alternate")
  .refine(
    (body) => body.toolConfig !== undefined || !usesTools(body.messages),
    "toolConfig is needed where tools are used",
  )
  .refine((body) => marksIn(body) <= 4, "more than four cache points")
  .refine(
    ({ messages }) => resultsFollowCalls(messages),
    "each toolUse has its toolResult in the next turn, and only those",
  );

const cachePoint = z.strictObject({
  cachePoint: z.strictObject({ type: z.literal("default"), ttl: z.enum(["5m", "1h"]).optional() }),
});
const id = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const document = z.record(z.string(), z.unknown());

const block = z.union([
  z.strictObject({ text: wordText }),
  cachePoint,
  z.strictObject({
    reasoningContent: z.union([
      z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }) }),
      z.strictObject({ redactedContent: z.base64() }),
    ]),
  }),
  z.strictObject({ toolUse: z.strictObject({ toolUseId: id, name: toolName, input: document }) }),
  z.strictObject({
    toolResult: z.strictObject({
      toolUseId: id,
      content: z.array(z.strictObject({ text: wordText })).min(1),
      status: z.enum(["success", "error"]).optional(),
    }),
  }),
]);

const message = z.strictObject({ role: z.enum(["user", "assistant"]), content: z.array(block).min(1) });

const tool = z.union([
  z.strictObject({
    toolSpec: z.strictObject({
      name: toolName,
      description: someText,
      inputSchema: z.strictObject({ json: objectSchema }),
    }),
  }),
  cachePoint,
]);

type Turn = z.infer<typeof message>;

const callsIn = ({ content }: Turn): string[] =>
  content.flatMap((one) => ("toolUse" in one ? [one.toolUse.toolUseId] : []));
const resultsIn = ({ content }: Turn): string[] =>
  content.flatMap((one) => ("toolResult" in one ? [one.toolResult.toolUseId] : []));

const usesTools = (turns: readonly Turn[]): boolean =>
  turns.some((turn) => callsIn(turn).length + resultsIn(turn).length > 0);

const resultsFollowCalls = (turns: readonly Turn[]): boolean =>
  turns.every((turn, index) => {
    const before = turns[index - 1];
    const asked = before === undefined ? [] : callsIn(before);
    return JSON.stringify(asked.sort()) === JSON.stringify(resultsIn(turn).sort());
  }) && callsIn(turns.at(-1)!).length === 0;

const marksIn = (body: unknown): number => JSON.stringify(body).split('"cachePoint":').length - 1;
