import { execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { env, getuid } from "node:process";

/** A PostgreSQL of its own on this machine, with an empty database `lamp` that belongs to `lamp`. */
export interface Postgres {
  readonly url: string;
  /** As that user. */
  psql(sql: string): string;
  dump(): string;
  /** It ends at once, as at a power cut. */
  crash(): void;
  start(): void;
  close(): void;
}

const DEBIAN = "/usr/lib/postgresql";
const OLDEST = 15;

/** Where its programs are. Where LAMP_EVAL_REQUIRE_POSTGRES=1, its absence is an error and not a reason to skip. */
export function postgresPath(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const newest = Math.max(0, ...versions.filter((version) => version >= OLDEST));
  const found = [env.LAMP_EVAL_POSTGRES, `${DEBIAN}/${newest}/bin`].find(
    (path) => path !== undefined && existsSync(join(path, "initdb")),
  );
  if (found === undefined && env.LAMP_EVAL_REQUIRE_POSTGRES === "1")
    throw new Error(
      `no PostgreSQL from ${OLDEST} on in ${DEBIAN}; apt-get install postgresql, or name its folder with LAMP_EVAL_POSTGRES`,
    );
  return found;
}

/** `bin`: where its programs are. It refuses to run as root: then it runs as the user postgres. `settings`: of the server. */
export async function startPostgres(bin: string, settings: readonly string[] = ["fsync=off"]): Promise<Postgres> {
  // The tests' own folder is closed to other users.
  const home = mkdtempSync("/tmp/lamp-eval-pg-");
  const other = getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (other.uid !== undefined) chownSync(home, other.uid, other.gid!);
  const data = join(home, "data");
  const port = await freePort();
  const run = (program: string, ...args: readonly string[]): string =>
    execFileSync(join(bin, program), args, {
      cwd: home,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      ...other,
    });
  run("initdb", "-D", data, "-A", "trust", "-U", "lamp", "--no-sync");
  const flags = [
    `-p ${port}`,
    `-k ${home}`,
    "-c listen_addresses=127.0.0.1",
    ...settings.map((one) => `-c ${one}`),
  ].join(" ");
  const started = { stdio: "ignore" as const, cwd: home, ...other }; // the server keeps what it is given open
  const start = (): void =>
    void execFileSync(join(bin, "pg_ctl"), ["-D", data, "-w", "-l", join(home, "log"), "-o", flags, "start"], started);
  start();
  const login = ["-h", "127.0.0.1", "-p", String(port), "-U", "lamp"];
  run("createdb", ...login, "lamp");
  return {
    url: `postgres://lamp@127.0.0.1:${port}/lamp`,
    psql: (sql) => run("psql", ...login, "-At", "-v", "ON_ERROR_STOP=1", "-c", sql, "lamp").trim(),
    dump: () => run("pg_dump", ...login, "lamp"),
    crash: () => void run("pg_ctl", "-D", data, "-m", "immediate", "stop"),
    start,
    close() {
      spawnSync(join(bin, "pg_ctl"), ["-D", data, "-m", "immediate", "stop"], started);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Of the user who runs it where the tests are root's: `-u` or `-g`. */
export const idOf = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
