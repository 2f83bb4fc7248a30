import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import { bedrock } from "../../src/models/providers/bedrock/index.js";
import { keepAliveFetch } from "../../src/models/wire/http.js";
import { boundedText } from "../../src/net/bounded-body.js";
import { ask, noAbort } from "../helpers/model-request.js";

const MIB = 1024 * 1024;
const piece = Buffer.alloc(MIB, "x");
let taken = 0;
/** Sends without end. */
const server = createServer((_, response) => {
  const more = (): void => {
    taken += 1;
    response.write(piece, (failed) => {
      if (!failed) more(); // Node 26 calls back at once where the other side has left, and destroys the response later
    });
  };
  more();
});
const url = await new Promise<string>((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
});
afterAll(() => server.close());

test("a model's reply without end is broken off, and no more of it is held than any reply has", async () => {
  await expect(keepAliveFetch(1)(url, { method: "POST", body: "{}" })).rejects.toThrow(
    "the reply has more than 64 MiB",
  );
  expect(taken).toBeLessThan(200);
});

test("so is Bedrock's, which its SDK reads, in one line and for another try", async () => {
  const before = taken;
  const env = { AWS_REGION: "us-east-1", AWS_BEARER_TOKEN_BEDROCK: "token-0123456789" };
  const model = await bedrock.open("amazon.nova-lite-v1:0", { env, baseUrl: url, concurrency: 1 });
  const failed = await model.complete(ask("x"), noAbort()).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ModelError);
  expect(failed).toMatchObject({
    message: "bedrock/amazon.nova-lite-v1:0: the reply has more than 64 MiB",
    retryable: true,
  });
  expect(taken - before).toBeLessThan(200);
});

test("so are those of embedders and of Wikipedia", async () => {
  await expect(boundedText(await fetch(url), MIB)).rejects.toThrow("the reply has more than 1 MiB");
  expect(await boundedText(new Response("größer"), MIB)).toBe("größer");
  expect(await boundedText(new Response(null), MIB)).toBe("");
});
