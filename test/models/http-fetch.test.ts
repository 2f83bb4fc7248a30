import { createServer } from "node:http";
import { type AddressInfo, createServer as createRawServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { keepAliveFetch } from "../../src/models/wire/http.js";

const bodies: Readonly<Record<string, { readonly status: number; readonly bytes: Buffer }>> = {
  json: { status: 200, bytes: Buffer.from('{"text":"größer 🎬"}') },
  marked: { status: 200, bytes: Buffer.from('\uFEFF{"a":1}') },
  broken: { status: 200, bytes: Buffer.from([0x7b, 0xff, 0xc3, 0x22]) },
  empty: { status: 200, bytes: Buffer.alloc(0) },
  refused: { status: 429, bytes: Buffer.from("slow down") },
  nothing: { status: 204, bytes: Buffer.alloc(0) },
};
const server = createServer(({ url }, response) => {
  const { status, bytes } = bodies[url!.slice(1)]!;
  response.writeHead(status, { "content-type": "application/json", "x-seen": "twice", date: "always the same" });
  response.end(bytes);
});
const base = await new Promise<string>((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
});
afterAll(() => server.close());

test.each(Object.keys(bodies))("a response is what Node's own fetch gives, of a body that is %s", async (body) => {
  const read = async (response: Response) => {
    const [{ status, headers }, text] = [response, await response.clone().text()];
    const json: unknown = await response.json().catch((error: Error) => error.name);
    return { status, headers: [headers.get("x-seen"), headers.get("content-type")], text, json };
  };
  const own = await read(await keepAliveFetch(1)(`${base}${body}`, { method: "POST", body: "{}" }));
  expect(own).toEqual(await read(await fetch(`${base}${body}`, { method: "POST", body: "{}" })));
});

test.each([
  ["999", "999 Odd\r\nContent-Length: 2", "the server answered with status 999, which no reply has"],
  ["099", "099 Odd\r\nContent-Length: 2", "the server answered with status 99, which no reply has"],
])("a status that no reply has is a failed call, %s", async (_, head, message) => {
  const odd = createRawServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.write(`HTTP/1.1 ${head}\r\n\r\n{}`));
  });
  const port = await new Promise<number>((resolve) => {
    odd.listen(0, "127.0.0.1", () => resolve((odd.address() as AddressInfo).port));
  });
  const sent = keepAliveFetch(1)(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
  await expect(sent).rejects.toThrow(message);
  odd.close();
});

test("who listens to responses is told of status and headers", async () => {
  const heard: [number, string | null][] = [];
  const send = keepAliveFetch(1, {}, (status, headers) => heard.push([status, headers.get("x-seen")]));
  await send(`${base}refused`, { method: "POST", body: "{}", headers: { "x-own": "1" } });
  expect(heard).toEqual([[429, "twice"]]);
});
