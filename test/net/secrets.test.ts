import { describe, expect, test } from "vitest";
import {
  isSecretName,
  knownSecrets,
  redactor,
  shortSecrets,
  withoutSecrets,
  withoutUrlSecrets,
} from "../../src/net/secrets.js";

test("a variable that a config names as a key is one, whatever it is called", () => {
  const env = { LAB_LOGIN: "abcdefgh-1234", OTHER: "abcdefgh-5678" };
  expect(knownSecrets(env, [], ["LAB_LOGIN"])).toEqual(["abcdefgh-1234"]);
  expect(withoutSecrets(env, [], ["LAB_LOGIN"])).toEqual({ OTHER: "abcdefgh-5678" });
});

describe("a name says that its value is secret", () => {
  test.each([
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "HF_TOKEN",
    "GITHUB_TOKEN",
    "npm_config__authToken",
    "CLIENT_SECRET",
    "DB_PASSWORD",
    "MYSQL_PWD",
    "PGPASSWORD",
    "RABBITMQPASSWD",
    "DBPWD",
    "CITOKEN",
    "clientsecret",
    "DEPLOYKEY",
    "GCPCREDENTIALS",
    "GITHUB_PAT",
    "x-api-key",
    "apikey",
    "key",
  ])("%s", (name) => expect(isSecretName(name)).toBe(true));

  test.each([
    "PATH",
    "HOME",
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CUDA_VISIBLE_DEVICES",
    "HF_HOME",
    "AWS_REGION",
    "AWS_PROFILE",
    "TOKENIZERS_PARALLELISM",
    "SSH_AUTH_SOCK",
    "MAX_TOKENS",
    "KEYBOARD",
    "HOTKEYS",
    "COMPASS",
    "api-version",
  ])("%s does not", (name) => expect(isSecretName(name)).toBe(false));
});

describe("what is known to be secret", () => {
  test("is what secret variables hold, and logins and keys in addresses of any variable or flag", () => {
    const env = {
      OPENAI_API_KEY: " sk-0123456789 ",
      HTTPS_PROXY: "http://user:proxy-p%40ss@proxy:3128",
      OPENAI_BASE_URL: "https://host/v1?api-key=query-key-1&api-version=2026-10-01",
      HOME: "/home/someone",
      EMPTY_TOKEN: "",
    };
    const values = ["sk-0123456789", "proxy-p@ss", "proxy-p%40ss", "query-key-1", "function-code"];
    expect(knownSecrets(env, ["http://host/v1?code=function-code"])).toEqual(values);
    expect(shortSecrets(env)).toEqual([]);
  });

  test("leaves out values under 8 characters, and names their variables", () => {
    const env = { SHORT_KEY: "1234567", LONG_KEY: "12345678", B_TOKEN: "x" };
    expect(knownSecrets(env)).toEqual(["12345678"]);
    expect(shortSecrets(env)).toEqual(["B_TOKEN, SHORT_KEY: under 8 characters, which cannot be masked in files"]);
  });

  test("does not reach a child, short values neither; what is allowed by name and proxies do", () => {
    const env = {
      A_KEY: "short",
      B_TOKEN: "0123456789",
      C_TOKEN: "0123456789",
      DATABASE_URL: "postgres://u:pass-word@db/x",
      https_proxy: "http://u:pass-word@proxy:1",
      PATH: "/bin",
      CUDA_VISIBLE_DEVICES: "0",
    };
    expect(Object.keys(withoutSecrets(env, ["C_TOKEN"]))).toEqual([
      "C_TOKEN",
      "https_proxy",
      "PATH",
      "CUDA_VISIBLE_DEVICES",
    ]);
  });
});

describe("an address as it may be written down", () => {
  test.each([
    ["http://me:secret@host:8000/v1", "http://host:8000/v1"],
    ["--base-url=https://token@host/v1", "--base-url=https://host/v1"],
    ["http://a:p@ss@host/", "http://host/"],
    ["http://host/users/@me", "http://host/users/@me"],
    ["http://host/v1?api_key=abc", "http://host/v1"],
    ["http://host/v1?api-version=1&api-key=abc&sig=x#top", "http://host/v1?api-version=1#top"],
    ["http://host/v1?code=abc&a=1", "http://host/v1?a=1"],
    ["http://host/v1?%6Bey=abc", "http://host/v1"],
    ["http://host/v1?q=1", "http://host/v1?q=1"],
    ["--out", "--out"],
    ["someone@example.org", "someone@example.org"],
  ])("%s is shown as %s", (text, shown) => expect(withoutUrlSecrets(text)).toBe(shown));
});

const KEY = "sk+te/st=0123 4567";
const redact = redactor([KEY, "plain-secret-value"]);

describe("a redactor", () => {
  test.each([
    ["plain", KEY],
    ["in an address", encodeURIComponent(KEY)],
    [
      "in an address, small digits",
      encodeURIComponent(KEY).replaceAll("%2B", "%2b").replaceAll("%2F", "%2f").replaceAll("%3D", "%3d"),
    ],
    ["in a form", encodeURIComponent(KEY).replaceAll("%20", "+")],
  ])("takes a secret out %s", (_, form) => {
    expect(redact.text(`before ${form} after`)).toBe("before [redacted] after");
  });

  test("takes a secret out as JSON writes it", () => {
    const quoted = 'quo"ted\\secret';
    expect(redactor([quoted]).text(JSON.stringify({ a: quoted }))).toBe('{"a":"[redacted]"}');
  });

  test("looks into lists, fields and names of fields, and leaves what is clean as it is", () => {
    const clean = { a: ["x", 1, null, true], b: { c: "y" } };
    expect(redact.json(clean)).toBe(clean);
    expect(redact.json({ a: [KEY, 1], [`n-${KEY}`]: { c: clean } })).toEqual({
      a: ["[redacted]", 1],
      "n-[redacted]": { c: clean },
    });
  });

  test("knows no secret under 8 characters, and without any leaves all as it is", () => {
    expect(redactor(["short", ""]).text("a short text")).toBe("a short text");
    expect(redactor([]).text("")).toBe("");
  });
});
