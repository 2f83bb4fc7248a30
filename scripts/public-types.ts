/** Leaves in dist the type declarations that a user of the library can reach from its entry; the others only weigh. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const reached = new Set<string>();
const open = [join(dist, "index.d.ts")];
for (let file = open.pop(); file !== undefined; file = open.pop()) {
  if (reached.has(file) || !existsSync(file)) continue;
  reached.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g))
    open.push(resolve(dirname(file), path).replace(/\.js$/, ".d.ts"));
}
for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" }))
  if (name.endsWith(".d.ts") && !reached.has(join(dist, name))) rmSync(join(dist, name));
