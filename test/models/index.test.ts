import { describe, expect, it } from "vitest";
import { openModel, providers } from "../../src/models/index.js";

const settings = { env: {}, baseUrl: "http://127.0.0.1:9/v1", concurrency: 1 };

describe("opening a model by name", () => {
  it("splits at the first slash only", async () => {
    const model = await openModel("openai/meta-llama/Llama-3.1-8B", settings);
    expect(model.id).toBe("openai/meta-llama/Llama-3.1-8B");
  });

  it("knows four providers", () => {
    expect(providers.names).toEqual(["anthropic", "bedrock", "offline", "openai"]);
  });

  it.each(["gpt-4o", "openai/", "/x", ""])("asks for provider/model-id when given %j", async (id) => {
    await expect(openModel(id, settings)).rejects.toThrow(/expected provider\/model-id/);
  });

  it("suggests the provider that was meant", async () => {
    await expect(openModel("antropic/claude-haiku-5-5", settings)).rejects.toThrow(/did you mean "anthropic"/);
  });
});
