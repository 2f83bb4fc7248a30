import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { keepAliveFetch } from "../../src/models/wire/http.js";
import { boundedText } from "../../src/net/bounded-body.js";

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

test("so are those of embedders and of Wikipedia", async () => {
  await expect(boundedText(await fetch(url), MIB)).rejects.toThrow("the reply has more than 1 MiB");
  expect(await boundedText(new Response("größer"), MIB)).toBe("größer");
  expect(await boundedText(new Response(null), MIB)).toBe("");
});
