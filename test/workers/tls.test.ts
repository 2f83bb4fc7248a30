import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { getuid } from "node:process";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { realClock } from "../../src/commands/terminal.js";
import { openDatabase } from "../../src/workers/database.js";
import { idOf, type Postgres, postgresPath, startPostgres } from "../helpers/postgres.js";

const bin = postgresPath();

describe.skipIf(bin === undefined)("a PostgreSQL that wants TLS and a password", () => {
  const dir = mkdtempSync("/tmp/lamp-eval-tls-"); // the tests' own folder is closed to other users
  const file = (name: string): string => join(dir, name);
  /** A certificate that is its own authority. */
  const certify = (name: string, host: string): void => {
    const named = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file(`${name}.key`)];
    execFileSync("openssl", ["req", "-x509", "-days", "2", ...named, ...key, "-out", file(`${name}.crt`)], {
      stdio: "ignore",
    });
  };
  let postgres: Postgres;
  beforeAll(async () => {
    chmodSync(dir, 0o755);
    certify("server", "localhost");
    certify("other", "localhost");
    if (getuid?.() === 0) chownSync(file("server.key"), idOf("-u"), idOf("-g"));
    const settings = ["ssl=on", `ssl_cert_file=${file("server.crt")}`, `ssl_key_file=${file("server.key")}`];
    postgres = await startPostgres(bin!, ["fsync=off", ...settings]);
    await (await openDatabase(postgres.url, io())).close();
    postgres.psql("alter role lamp password 'hunter2'");
    postgres.psql(`copy (select 'hostssl all all all scram-sha-256') to '${postgres.psql("show hba_file")}'`);
    postgres.psql("select pg_reload_conf()");
  });
  afterAll(() => {
    postgres?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const io = () => ({ clock: realClock, cwd: dir, env: {}, node: process.version, tell: () => undefined });
  const at = (host: string, query: string, login = "lamp:hunter2") =>
    postgres.url.replace("lamp@127.0.0.1", `${login}@${host}`) + query;
  const said = (url: string): Promise<string> =>
    openDatabase(url, io())
      .then((database) => database.close())
      .then(
        () => "in",
        ({ message }: Error) => message.replace(/^--workers \S+: /, ""),
      );
  const root = (name: string): string => `?sslmode=verify-full&sslrootcert=${file(`${name}.crt`)}`;

  test("lets in whom it knows, by the server's name and authority", async () => {
    expect(await said(at("localhost", root("server")))).toBe("in");
    expect(await said(at("127.0.0.1", root("server")))).toMatch(/does not match certificate/);
    expect(await said(at("localhost", root("other")))).toMatch(/certificate/);
    expect(await said(at("localhost", "?sslmode=verify-full"))).toMatch(/certificate/);
    expect(await said(at("localhost", root("absent")))).toMatch(/no such file.*absent.crt/);
  });

  test("without TLS or the password nobody gets in", async () => {
    expect(await said(at("localhost", "?sslmode=disable"))).toMatch(/no pg_hba.conf entry|no encryption/);
    expect(await said(at("localhost", root("server"), "lamp:wrong"))).toMatch(/password authentication failed/);
    expect(await said(at("localhost", root("server"), "lamp"))).toMatch(/password must be a string/);
  });

  test("the password may stand in PGPASSWORD", async () => {
    vi.stubEnv("PGPASSWORD", "hunter2");
    expect(await said(at("localhost", root("server"), "lamp"))).toBe("in");
    vi.unstubAllEnvs();
  });
});
