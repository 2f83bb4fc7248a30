import { readFileSync } from "node:fs";
import type { Client, ClientConfig, Pool } from "pg";
import { UsageError } from "../errors.js";
import { fileTrouble } from "../text/file-trouble.js";

/** A PostgreSQL server: how it may be printed, and how to get there. */
export interface Database {
  /** `db.lab:5432/lamp`: never with a login. */
  readonly shown: string;
  pool(most: number): Pool;
  client(): Client;
}

/** Reads the address and loads the driver; nothing is connected yet. Throws UsageError on a wrong address, without TLS off this machine, and without the packages. */
export async function openDatabase(url: string): Promise<Database> {
  const config = { ...configOf(url), connectionTimeoutMillis: 10_000, keepAlive: true };
  const { default: pg } = await loaded(() => import("pg"));
  return {
    shown: `${config.host}:${config.port}/${config.database}`,
    client: () => new pg.Client(config),
    pool(most) {
      const pool = new pg.Pool({ ...config, max: most });
      pool.on("error", () => undefined); // an idle connection that broke is replaced
      return pool;
    },
  };
}

/** Loads an optional package. Throws UsageError where it is absent. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError("--workers needs two more packages: npm install bullmq@6 pg@8");
  }
}

/** Returns a failure of the connection in one line; throws any other error as it is. */
export function databaseTrouble(error: unknown, shown: string): UsageError {
  if (error instanceof UsageError) return error;
  const { code = "", message } = error as NodeJS.ErrnoException;
  const [, known] = troubles.find(([pattern]) => pattern.test(`${code} ${message}`)) ?? [];
  if (known === undefined && !isGone(error)) throw error;
  const gone = `no connection (${code || message}); start PostgreSQL there or correct the address`;
  return new UsageError(`--workers ${shown}: ${known ?? gone}`);
}

/** Whether the server cannot be reached for now, or has undone a statement because of a deadlock. */
export function isGone(error: unknown): boolean {
  const { code = "", message = "" } = error as NodeJS.ErrnoException;
  return (
    /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|EPIPE|57P0|08|53300|40P01)/.test(code) ||
    /connection (terminated|timeout)|timeout expired|timeout exceeded|not queryable/i.test(message)
  );
}

/** By the start of the server's code (PostgreSQL, appendix A), or by the driver's message where it has no code. */
const troubles: readonly (readonly [RegExp, string])[] = [
  [/^28/, "the login is refused; put the right one into the address and PGPASSWORD"],
  [/^42704/, "there is no such role; make it first (createuser)"],
  [/^3D/, "there is no such database; create it (createdb)"],
  [/^42501/, "this login may not use the tables of lamp-eval; run lamp-eval worker --migrate ROLE as their owner"],
  [/^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/, "the certificate's authority is unknown; name it with sslrootcert=FILE"],
  [/^ERR_TLS/, "the server's certificate is for another host; connect by the name in it"],
  [/client password must be a string/, "the server asks for a password; set PGPASSWORD"],
  [/does not support SSL/, "the server has no TLS; turn it on there (ssl = on)"],
];

/** Field by field and not as a text: a field of the address cannot change where it leads. */
function configOf(text: string): ClientConfig & { readonly host: string } {
  const wrong = (what: string): UsageError =>
    new UsageError(
      `--workers: ${what}; expected postgres://USER@HOST/DATABASE?sslmode=verify-full, in LAMP_EVAL_WORKERS`,
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) throw wrong("no address of a PostgreSQL database");
  const { sslmode, sslrootcert, ...others } = Object.fromEntries(url.searchParams);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`${unknown} in the address is not known`);
  const host = url.hostname.replace(/^\[|\]$/g, "") || "localhost";
  const isNear = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  if (sslmode !== undefined && sslmode !== "verify-full" && !(isNear && sslmode === "disable"))
    throw wrong(`sslmode=${sslmode} lets others listen`);
  if (sslmode === undefined && !isNear) throw wrong(`${host} is another machine, so TLS is needed`);
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
  if (!database) throw wrong("the name of the database is missing");
  return {
    host,
    port: Number(url.port || 5432),
    database,
    ...(user ? { user } : {}),
    ...(password ? { password } : {}),
    ...(sslmode === "verify-full" ? { ssl: { rejectUnauthorized: true, ...authority(sslrootcert) } } : {}),
    application_name: "lamp-eval",
    options: "-c search_path=bullmq", // BullMQ names its tables without their schema
  };
}

function authority(file: string | undefined): { readonly ca?: string } {
  try {
    return file === undefined ? {} : { ca: readFileSync(file, "utf8") };
  } catch (error) {
    throw new UsageError(`--workers: sslrootcert=${file}: ${fileTrouble(error)}`);
  }
}
