import { expect, test } from "vitest";
import { withoutLogin } from "../../src/app/without-login.js";

test.each([
  ["http://me:secret@host:8000/v1", "http://host:8000/v1"],
  ["--base-url=https://token@host/v1", "--base-url=https://host/v1"],
  ["http://a:p@ss@host/", "http://host/"],
  ["http://host/users/@me", "http://host/users/@me"],
  ["--out", "--out"],
  ["someone@example.org", "someone@example.org"],
])("%s is shown as %s", (text, shown) => expect(withoutLogin(text)).toBe(shown));
