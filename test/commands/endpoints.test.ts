import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startProviderServer } from "../helpers/provider-server.js";
import { chatReply } from "../helpers/rated-server.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

it("a config's endpoints make a run over several servers, each with its own models and key; --base-url is for the others", async () => {
  const start = () => startProviderServer({ reply: (request) => chatReply(request, "5") });
  const [a, b] = await Promise.all([start(), start()]);
  const cwd = tempDir();
  const config = [
    "task: lamp3",
    "method: prompt",
    "users: 2",
    "limit: 2",
    "model: [lab/one, far/two]",
    "endpoints:",
    `  lab: { provider: openai, baseUrl: "${a.url}" }`,
    `  far: { provider: openai, baseUrl: "${b.url}", keyEnv: FAR_KEY }`,
  ];
  writeFileSync(join(cwd, "run.yaml"), config.join("\n"));
  const env = { FAR_KEY: "key-far-away" };
  try {
    const { code, stderr } = await runCommandLine("run --config run.yaml --out both", { cwd, env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(a.requests.map(({ body }) => body.model)).toEqual(["one", "one"]);
    expect(b.requests.map(({ body }) => body.model)).toEqual(["two", "two"]);
    expect(b.requests[0]?.headers.authorization).toBe("Bearer key-far-away");
    expect((await runCommandLine("verify both", { cwd, env })).code).toBe(0);
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
});
