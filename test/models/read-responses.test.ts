import { expect, it } from "vitest";
import { readResponse } from "../../src/models/providers/openai/responses-reply.js";
import { ask } from "../helpers/model-request.js";

const served = (more: object) => ({
  ...{ id: "r", model: "m", status: "completed", usage: { input_tokens: 1, output_tokens: 1 } },
  output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "yes" }] }],
  ...more,
});

it("keeps what the server says that it took out of the input", () => {
  const changes = [{ type: "reasoning_removed", count: 2 }];
  expect(readResponse(served({ input_transformations: changes }), ask("x"))).toMatchObject({ inputChanged: changes });
  expect(readResponse(served({ input_transformations: [] }), ask("x"))).not.toHaveProperty("inputChanged");
  expect(readResponse(served({}), ask("x"))).not.toHaveProperty("inputChanged");
});
