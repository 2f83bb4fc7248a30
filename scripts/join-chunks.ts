import { dirname, join, relative, resolve, sep } from "node:path";
import { build, type Metafile, type OutputFile, type Plugin } from "esbuild";

/** How JavaScript is written: without comments and indentation, names as they are. */
export const written = {
  format: "esm",
  platform: "node",
  target: "node20",
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 1000,
  legalComments: "none",
} as const;

/**
 * Joins the shared chunks that a build has made once more: those that the first output needs to one file, those that the second
 * needs besides to another, and so on, so that a command reads few files. Other outputs take their names from there.
 * `firsts`: outputs by their paths, the one that is always loaded first. All outputs are in `folder` or below it.
 */
export async function joinChunks(
  folder: string,
  outputs: readonly OutputFile[],
  metafile: Metafile,
  firsts: readonly string[],
): Promise<readonly OutputFile[]> {
  const texts = new Map(outputs.map(({ path, text }) => [path, text]));
  const facts = new Map(Object.entries(metafile.outputs).map(([path, found]) => [resolve(path), found]));
  const groups = groupsOf(facts, firsts);
  const groupOf = new Map(
    groups.flatMap((chunks, group) => chunks.map((path, chunk) => [path, { group, chunk }] as const)),
  );
  const nameOf = (group: number): string => join(folder, `joined-${group}.js`);

  const namesOf = (path: string): readonly string[] => facts.get(path)?.exports ?? [];
  /** By group, how many of its chunks give a name. */
  const givers = groups.map((chunks) => {
    const counts = new Map<string, number>();
    for (const name of chunks.flatMap(namesOf)) counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts;
  });
  /** The name under which a group gives what a chunk gives. */
  const outer = (name: string, group: number, chunk: number): string =>
    givers[group]!.get(name) === 1 ? name : `${name}_${chunk}`;

  /** All that the chunks of a group give. */
  const all = (group: number): string =>
    groups[group]!.map((path, chunk) => {
      const names = namesOf(path).map((name) => `${name} as ${outer(name, group, chunk)}`);
      return names.length === 0
        ? `import ${JSON.stringify(path)};`
        : `export { ${names} } from ${JSON.stringify(path)};`;
    }).join("\n");

  const plugin: Plugin = {
    name: "join",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /.*/ }, ({ path, importer, kind, namespace, pluginData }) => {
        if (kind === "entry-point") return { path, namespace: path.startsWith("group:") ? "group" : "output" };
        if (namespace === "names") return { path: addressFrom(pluginData as string, path), external: true };
        if (!path.startsWith(".") && !path.startsWith(folder)) return { path, external: true };
        const target = path.startsWith(".") ? join(dirname(importer), path) : path;
        const own = namespace === "group" ? Number(importer.slice("group:".length)) : groupOf.get(importer)?.group;
        const place = own === undefined ? importer : nameOf(own);
        const there = kind === "dynamic-import" ? undefined : groupOf.get(target);
        if (there === undefined) return { path: addressFrom(place, target), external: true };
        if (there.group === own) return { path: target, namespace: "output" };
        return {
          path: target,
          namespace: "names",
          sideEffects: false,
          pluginData: place,
          suffix: `?${own ?? importer}`,
        };
      });
      onLoad({ filter: /.*/, namespace: "group" }, ({ path }) => ({
        contents: all(Number(path.slice(6))),
        loader: "js",
      }));
      onLoad({ filter: /.*/, namespace: "output" }, ({ path }) => ({ contents: texts.get(path) ?? "", loader: "js" }));
      onLoad({ filter: /.*/, namespace: "names" }, ({ path, pluginData }) => {
        const { group, chunk } = groupOf.get(path)!;
        const names = namesOf(path).map((name) => `${outer(name, group, chunk)} as ${name}`);
        const from = JSON.stringify(nameOf(group));
        const contents = names.length === 0 ? `import ${from};` : `export { ${names} } from ${from};`;
        return { contents, loader: "js", pluginData: pluginData as unknown };
      });
    },
  };
  const left = [...texts.keys()].filter((path) => !groupOf.has(path));
  const entryPoints = [
    ...groups.map((_, group) => ({ in: `group:${group}`, out: `joined-${group}` })),
    ...left.map((path) => ({ in: path, out: relative(folder, path).replace(/\.js$/, "") })),
  ];
  const { outputFiles } = await build({
    entryPoints,
    outdir: folder,
    treeShaking: true,
    logOverride: { "ignored-bare-import": "silent" }, // no chunk does anything but define
    bundle: true,
    ...written,
    plugins: [plugin],
    write: false,
  });
  return outputFiles;
}

type Facts = ReadonlyMap<string, Metafile["outputs"][string]>;

/** The chunks that each of these outputs loads at once, without those of the ones before it. */
function groupsOf(facts: Facts, firsts: readonly string[]): string[][] {
  const taken = new Set<string>();
  return firsts.map((first) => {
    const chunks: string[] = [];
    const visit = (path: string): void => {
      for (const { path: next, kind, external } of facts.get(path)?.imports ?? []) {
        const target = resolve(next);
        if (external === true || kind !== "import-statement" || taken.has(target)) continue;
        taken.add(target);
        visit(target);
        if (facts.get(target)?.entryPoint === undefined) chunks.push(target);
      }
    };
    visit(first);
    return chunks;
  });
}

const addressFrom = (from: string, to: string): string => {
  const path = relative(dirname(from), to).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
};
