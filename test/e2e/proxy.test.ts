import { writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentFor } from "../../src/models/wire/http.js";
import { startProviderServer } from "../helpers/provider-server.js";
import { fakeKey } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { startCli } from "./cli-process.js";

/** Of *.lab.invalid, a name that is nobody's (RFC 2606): it guards nothing. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBGfD4bpSfTMmseES
LyZOglhXnNwwH3qOCsFT/BQ8LfChRANCAAQgsuOfK6LEcqioBHex7M9AYHvK7CAA
iEIj48VNZ/lFguDHzR7NoE7ci98gdv9npBUKqvXzV2mt8gFWlxbenEpY
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUOgAwIBAgIUOUIPyfvLwFgzU016r0s+ozaG6WswCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLbGFiLmludmFsaWQwIBcNMjYxMTIzMDUyMzI2WhgPMjEyNjEw
MzAwNTIzMjZaMBYxFDASBgNVBAMMC2xhYi5pbnZhbGlkMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEILLjnyuixHKoqAR3sezPQGB7yuwgAIhCI+PFTWf5RYLgx80e
zaBO3IvfIHb/Z6QVCqr181dprfIBVpcW3pxKWKNtMGswHQYDVR0OBBYEFAT5Wq3T
fmovZt02wQTPLq9HuLb2MB8GA1UdIwQYMBaAFAT5Wq3TfmovZt02wQTPLq9HuLb2
MA8GA1UdEwEB/wQFMAMBAf8wGAYDVR0RBBEwD4INKi5sYWIuaW52YWxpZDAKBggq
hkjOPQQDAgNHADBEAiAhYhil1uQW5oRQ4d14CTNJcTFz0K8SwSpmZ/4Fk171EwIg
YDCSJgtTZzLZkp1tyixgpSZPE/bW+HAmw+RvEywjvq0=
-----END CERTIFICATE-----`;

const cwd = suiteDir();
let server: Awaited<ReturnType<typeof startProviderServer>>;
/** What the proxy was asked for. */
const asked: string[] = [];
/** Ends TLS before the server. */
const secure = tls.createServer({ key, cert }, (socket) => joined(socket, new URL(server.url).port));
const proxy = http.createServer((incoming, outgoing) => {
  const { method, url = "", headers } = incoming;
  asked.push(new URL(url).host);
  const { pathname } = new URL(url);
  const sent = http.request(`${server.url}${pathname}`, { method: method ?? "GET", headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(sent);
});
proxy.on("connect", ({ url = "" }, socket) => {
  asked.push(url);
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  joined(socket, url.endsWith(":443") ? (secure.address() as AddressInfo).port : new URL(server.url).port);
});

function joined(socket: NodeJS.ReadWriteStream, port: number | string): void {
  const onward = net.connect(Number(port), "127.0.0.1");
  for (const one of [socket, onward]) one.on("error", () => undefined);
  socket.pipe(onward).pipe(socket);
}

beforeAll(async () => {
  server = await startProviderServer();
  for (const one of [secure, proxy]) await new Promise<void>((done) => one.listen(0, "127.0.0.1", done));
  writeReviews(join(cwd, "reviews"), [reviewUser("ann")]);
  writeFileSync(join(cwd, "cert.pem"), cert);
});
afterAll(async () => {
  secure.close();
  proxy.closeAllConnections();
  proxy.close();
  await server.close();
});

const throughProxy = (more: string) => {
  asked.length = 0;
  const at = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const keys = { OPENAI_API_KEY: fakeKey, ANTHROPIC_API_KEY: fakeKey, AWS_BEARER_TOKEN_BEDROCK: fakeKey };
  const env = { ...keys, AWS_REGION: "us-east-1", HTTPS_PROXY: at, http_proxy: at, NODE_EXTRA_CA_CERTS: "cert.pem" };
  return startCli(`run --task lamp3 --data reviews ${more}`.split(" "), { cwd, env }).exit;
};

test.each([
  ["openai/gpt-4.1-mini", "https://llm.lab.invalid/v1", "llm.lab.invalid:443"],
  ["openai/gpt-4.1-mini", "http://llm.lab.invalid/v1", "llm.lab.invalid"],
  ["anthropic/claude-haiku-5-5", "https://claude.lab.invalid", "claude.lab.invalid:443"],
  ["bedrock/anthropic.claude-haiku-5-5", "https://aws.lab.invalid", "aws.lab.invalid:443"],
])("calls of a provider go through the proxy of the environment: %s at %s", async (model, url, host) => {
  const more = `--method prompt --model ${model} --base-url ${url} --out r-${host}-${model.slice(0, 3)}`;
  expect(await throughProxy(more)).toMatchObject({ code: 0 });
  expect(new Set(asked)).toEqual(new Set([host]));
});

test("so do those of embedders", async () => {
  const embedder = "--set embedder=openai/small --set embedder.baseUrl=https://embed.lab.invalid/v1";
  expect(await throughProxy(`--method rag --set select=dense ${embedder} --out dense`)).toMatchObject({
    code: 0,
  });
  expect(new Set(asked)).toEqual(new Set(["embed.lab.invalid:443"]));
});

test("a proxy that is none is a mistake", async () => {
  const env = { HTTPS_PROXY: "socks5://me:hidden-password@proxy:1080" };
  const { code, stderr } = await startCli(["list"], { cwd, env }).exit;
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "lamp-eval: HTTPS_PROXY proxy:1080: not the address of a proxy; write it like http://proxy:8080\n",
  });
});

test.each([
  ["https://api.openai.com/v1", {}, true],
  ["http://lab:8000", {}, false],
  ["https://api.openai.com/v1", { NO_PROXY: "openai.com" }, false],
  ["https://api.openai.com/v1", { NO_PROXY: ".openai.com, lab" }, false],
  ["https://api.openai.com/v1", { NO_PROXY: "*.openai.com:443" }, false],
  ["https://api.openai.com/v1", { NO_PROXY: "api.openai.com:8443 notopenai.com" }, true],
  ["https://notopenai.com/v1", { NO_PROXY: "openai.com" }, true],
  ["https://api.openai.com/v1", { no_proxy: "*" }, false],
  ["https://localhost:8000/v1", {}, false],
  ["https://[::1]:8000/v1", {}, false],
])("which addresses a proxy is for: %s with %o", async (url, env, isProxied) => {
  const agent = await agentFor(new URL(url), { HTTPS_PROXY: "proxy.corp:3128", ...env }, {});
  expect(agent instanceof https.Agent || agent.constructor === http.Agent).toBe(!isProxied);
});
