import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { files: shipped } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: string[] };

/** Files that the program reads from its own package, as the compiled program in `dist/` finds them. */
const read = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .flatMap((name) => {
    const text = readFileSync(join(root, "src", name), "utf8");
    const addresses = [...text.matchAll(/new URL\(\s*["'`]([^"'`$]+)[^"'`]*["'`]\s*,\s*import\.meta\.url/g)];
    return addresses.map(([, address = ""]) => join("dist", dirname(name), address).split(sep).join("/"));
  });

test("what the program reads from its own package stands there, and is packed with it", () => {
  expect(read.length).toBeGreaterThan(4);
  const isPacked = (path: string) =>
    path === "package.json" || shipped.some((entry) => `${path}/`.startsWith(`${entry}/`));
  expect(read.filter((path) => !existsSync(join(root, path)) || !isPacked(path))).toEqual([]);
});
