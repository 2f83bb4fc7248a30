import { afterEach, describe, expect, it } from "vitest";
import { checkEndpoints, type Endpoints, endpointsSchema, plannedEndpoints } from "../../src/models/endpoints.js";
import { openModel, providers } from "../../src/models/index.js";
import { ask, noAbort } from "../helpers/model-request.js";
import { type ProviderServer, startProviderServer } from "../helpers/provider-server.js";

let server: ProviderServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const settings = { env: {}, concurrency: 1 };
const open = (id: string, endpoints: Endpoints, env: Record<string, string> = {}) =>
  openModel(id, { ...settings, env }, providers, endpoints);

describe("models of endpoints", () => {
  it("are called by the endpoint's name and send the server their own id and the endpoint's key, no other", async () => {
    server = await startProviderServer();
    const lab = { provider: "openai", baseUrl: server.url, keyEnv: "LAB" };
    const env = { LAB: "key-of-the-lab", OPENAI_API_KEY: "sk-not-for-the-lab", OPENAI_ORG_ID: "org-not-for-the-lab" };
    const model = await open("lab/meta/llama-3.1-8b", { lab }, env);
    expect(model.id).toBe("lab/meta/llama-3.1-8b");
    await model.complete(ask("hello"), noAbort());
    const keyless = await open("lab/m", { lab: { provider: "openai", baseUrl: server.url } }, env);
    await keyless.complete(ask("hello"), noAbort());
    const [first, second] = server.requests;
    expect(first?.body.model).toBe("meta/llama-3.1-8b");
    expect(first?.headers.authorization).toBe("Bearer key-of-the-lab");
    expect(JSON.stringify([first?.headers, second?.headers])).not.toContain("not-for-the-lab");
  });

  it("never let the key of their variable through, whatever the variable is called", async () => {
    server = await startProviderServer({
      fault: () => ({ kind: "status", status: 400, message: "no: key-of-the-lab" }),
    });
    const model = await open(
      "lab/m",
      { lab: { provider: "openai", baseUrl: server.url, keyEnv: "LAB" } },
      { LAB: "key-of-the-lab" },
    );
    const error: unknown = await model.complete(ask("x"), noAbort()).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/lab\/m: 400/);
    expect(String(error)).not.toContain("key-of-the-lab");
  });

  it("never let words of their headers through that may be keys", async () => {
    const value = "team-token-0123456789";
    server = await startProviderServer({
      fault: ({ headers }) => ({ kind: "status", status: 400, message: `no: ${headers["x-team"]}` }),
    });
    const lab = { provider: "openai", baseUrl: server.url, headers: { "X-Team": `research ${value}` } };
    const error: unknown = await (await open("lab/m", { lab })).complete(ask("x"), noAbort()).catch((thrown) => thrown);
    expect(String(error)).toContain("no: research [redacted]");
  });

  it.each([
    ["openai", "endpoint lab: LAB is not set"],
    ["anthropic", "endpoint lab: LAB is not set"],
    ["bedrock", "endpoint lab: LAB is not set"],
  ])("name the variable that is missing: %s", async (provider, message) => {
    const lab = { provider, keyEnv: "LAB", baseUrl: "http://127.0.0.1:9/v1" };
    await expect(open("lab/m", { lab }, { AWS_REGION: "eu-west-1" })).rejects.toThrow(message);
  });

  it("are told from providers, and what is neither is told with what was meant", async () => {
    const lab = { provider: "openai", baseUrl: "http://127.0.0.1:9/v1" };
    await expect(open("lob/m", { lab })).rejects.toThrow(/no endpoint or provider "lob"; did you mean "lab"/);
    await expect(open("lab/", { lab })).rejects.toThrow(/expected provider\/model-id.*endpoints: lab/);
    expect(() => checkEndpoints({ openai: lab }, providers)).toThrow(/endpoints\.openai: that is a provider's name/);
    expect(() => checkEndpoints({ x: { provider: "opnai" } }, providers)).toThrow(
      /endpoints\.x\.provider.*did you mean "openai"/,
    );
    expect(() => checkEndpoints({ x: { provider: "offline" } }, providers)).toThrow(/asks no server/);
    expect(endpointsSchema.safeParse({ "a/b": lab }).success).toBe(false);
    expect(endpointsSchema.safeParse({ lab: { ...lab, keyEnv: "sk-123" } }).success).toBe(false);
  });

  it("stand in the plan where a model names them, without limits, keys and secrets of addresses", () => {
    const endpoints: Endpoints = {
      lab: {
        provider: "openai",
        baseUrl: "http://me:hidden@lab/v1",
        keyEnv: "LAB",
        api: "chat",
        rpm: 5,
        concurrency: 2,
      },
      unused: { provider: "openai" },
    };
    expect(plannedEndpoints(["lab/a", "lab/b", "openai/c"], endpoints)).toEqual({
      lab: { provider: "openai", baseUrl: "http://lab/v1", api: "chat" },
    });
    expect(plannedEndpoints(["openai/c"], endpoints)).toBeUndefined();
  });
});
