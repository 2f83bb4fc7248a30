/**
 * Joins the built JavaScript to few files, without comments and indentation, in lines of at most about a thousand characters: a command reads a
 * few dozen files where it read some seven hundred, zod's among them, of which only the English messages are taken. What is loaded
 * when it is asked for stays so. Names stay, so that a stack trace can be read.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const require = createRequire(import.meta.url);
const dist = fileURLToPath(new URL("../dist", import.meta.url));
/** What is run or imported by its path: the command line and the library. */
const entries = ["commands/main.js", "index.js"];

/** A file that looks for another beside it finds it from the place where it stood before it was joined. */
const places: Plugin = {
  name: "places",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(dist)) return undefined;
      const place = `new URL("./${relative(dist, path).split(sep).join("/")}", import.meta.url).href`;
      return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", place), loader: "js" };
    });
  },
};

/**
 * Joins zod, without its other languages, and of natural what is used: the package and what it needs take 57 MB, its word list 4. All
 * other packages stay outside.
 */
const packages: Plugin = {
  name: "packages",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      const isJoined = path === "zod" || path.startsWith("natural/") || importer.includes("node_modules");
      return isJoined || kind === "entry-point" ? undefined : { path, external: true };
    });
    onLoad({ filter: /text[\\/]word-tags\.js$/ }, () => {
      const list = require.resolve("natural/lib/natural/brill_pos_tagger/data/English/lexicon_from_posjs.json");
      const tags = Object.entries<string[]>(JSON.parse(readFileSync(list, "utf8")));
      const used = tags.filter(([, [first = ""]]) => /^(?:VB|RB|MD)/.test(first));
      return { contents: `export const tags = ${JSON.stringify(Object.fromEntries(used))};` };
    });
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

const before = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
const { outputFiles } = await build({
  entryPoints: entries.map((name) => join(dist, name)),
  outbase: dist,
  outdir: dist,
  chunkNames: "[name]-[hash]", // all beside index.js: `places` counts on it
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 1000,
  legalComments: "none",
  plugins: [packages, places],
  write: false,
});
for (const name of before) rmSync(join(dist, name));
/** esbuild leaves regular expressions as they stand, and one sign beyond Latin-1 doubles what a whole file takes in memory. */
const inAscii = (text: string): string =>
  text.replace(/\\?[^\0-\x7f]/g, (sign) => {
    if (sign.length > 1) throw new Error(`a backslash before ${sign[1]}: write the sign alone`);
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, inAscii(text));
}
