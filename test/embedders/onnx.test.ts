import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openEmbedder } from "../../src/embedders/index.js";
import {
  importTransformers,
  openOnnx,
  type TokenInputs,
  type Transformers,
  type TransformersModel,
} from "../../src/embedders/onnx.js";
import { tempDir } from "../helpers/temp-dir.js";
import { tinyVector, tinyWidth, type tinyWords, writeTinyModel } from "../helpers/tiny-onnx.js";

function tinyFolder(): string {
  const folder = join(tempDir(), "tiny");
  writeTinyModel(folder);
  return folder;
}

class Tensor {
  constructor(
    readonly type: string,
    readonly data: BigInt64Array,
    readonly dims: readonly number[],
  ) {}
}

/** A tokenizer that frames one token per letter with 101 and 102, and a model whose token vectors are the token and 1. */
function fake(limit: number | null = 512) {
  const asked: unknown[][] = [];
  const ran: TokenInputs[] = [];
  const give =
    <T>(thing: T) =>
    async (...given: unknown[]): Promise<T> => {
      asked.push(given);
      return thing;
    };
  const tokenizer = (text: string): TokenInputs => {
    const ids = BigInt64Array.from([101, ...[...text].map((letter) => letter.charCodeAt(0)), 102], BigInt);
    const tensor = (data: BigInt64Array) => new Tensor("int64", data, [1, data.length]);
    const mask = ids.map((id) => (id === 0n ? 0n : 1n)); // "\0" is padding
    return { input_ids: tensor(ids), attention_mask: tensor(mask), token_type_ids: tensor(ids.map(() => 0n)) };
  };
  const model: TransformersModel = async (inputs) => {
    ran.push(inputs);
    const ids = [...inputs.input_ids.data].map(Number);
    const data = Float32Array.from(ids.flatMap((id) => [id, 1]));
    return { last_hidden_state: { data, dims: [1, ids.length, 2] } };
  };
  const transformers: Transformers = {
    AutoTokenizer: { from_pretrained: give(Object.assign(tokenizer, { model_max_length: limit })) },
    AutoModel: { from_pretrained: give(model) },
    Tensor,
  };
  return { load: async () => transformers, asked, ran };
}

describe("openOnnx", () => {
  it("loads full-precision weights of the revision, on one thread", async () => {
    const { load, asked } = fake();
    expect((await openOnnx("a/b@v1", {}, load)).id).toBe("onnx/a/b@v1");
    expect(asked).toMatchObject([
      ["a/b", { revision: "v1" }],
      ["a/b", { revision: "v1", dtype: "fp32", session_options: { intraOpNumThreads: 1 } }],
    ]);
  });

  it("averages the tokens without padding, scaled to length 1 or kept for the raw dot product under another id", async () => {
    const mean = (101 + 97 + 102) / 3;
    const scaled = await openOnnx("name", {}, fake().load);
    expect(scaled).toMatchObject({ id: "onnx/sentence-transformers/name", dimensions: 2 });
    expect((await scaled.embed(["a\0"]))[0]![1]).toBeCloseTo(1 / Math.hypot(mean, 1), 6);
    const raw = await openOnnx("name", { similarity: "dot" }, fake().load);
    expect(raw.id).toBe("onnx/sentence-transformers/name#dot");
    expect(await raw.embed(["a\0"])).toEqual([Float32Array.from([mean, 1])]);
  });

  it.each([
    [6, 6],
    [1e30, 512],
    [null, 512],
  ])("cuts at the model's limit (%s), at most 512 tokens, and keeps the closing token", async (limit, length) => {
    const { load, ran } = fake(limit);
    await (await openOnnx("a/b", {}, load)).embed(["x".repeat(600)]);
    const { input_ids, token_type_ids } = ran.at(-1)!;
    expect([...input_ids.data].map(Number)).toEqual([101, ...Array(length - 2).fill(120), 102]);
    expect(token_type_ids).toMatchObject({ type: "int64", dims: [1, length] });
  });

  it("names a folder by the content of its files, so that changed weights are another embedder", async () => {
    const folder = tinyFolder();
    const before = await openOnnx(folder, {}, fake().load);
    expect((await openOnnx(folder, {}, fake().load)).id).toBe(before.id);
    expect(before.id).toMatch(/^onnx\/.*tiny@[0-9a-f]{12}$/);
    appendFileSync(join(folder, "onnx", "model.onnx"), "\0");
    expect((await openOnnx(folder, {}, fake().load)).id).not.toBe(before.id);
  });

  it("refuses a folder that lacks a file, and a name that is neither folder nor hub model", async () => {
    const folder = tinyFolder();
    rmSync(join(folder, "tokenizer.json"));
    await expect(openOnnx(folder, {}, fake().load)).rejects.toThrow(
      /tokenizer\.json: no such file; a model folder holds/,
    );
    for (const id of ["", "a/b/c", "a b"])
      await expect(openOnnx(id, {}, fake().load)).rejects.toThrow(/expected a hub model such as onnx\/sentence-/);
  });

  it("says which command installs a missing package", async () => {
    const missing = Object.assign(new Error("Cannot find package '@huggingface/transformers' imported from /x.js"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    await expect(importTransformers(() => Promise.reject(missing))).rejects.toThrow(
      "embedder onnx: the package @huggingface/transformers is not installed; install it beside lamp-eval: ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers@4",
    );
  });
});

/** The real package is an optional peer of 474 MB: its tests run where it is installed (docs/EXTENDING.md). */
const installed = await importTransformers().then(
  () => true,
  () => false,
);

describe.runIf(installed)("onnx with @huggingface/transformers", () => {
  const meanOf = (words: readonly (typeof tinyWords)[number][]): number[] => {
    const rows = words.map(tinyVector);
    return Array.from({ length: tinyWidth }, (_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length);
  };

  it("embeds a folder's model: frame tokens and words averaged, a long text cut to 512 tokens", async () => {
    const embedder = await openEmbedder(`onnx/${tinyFolder()}`, { env: {}, similarity: "dot" });
    const vectors = await embedder.embed(["Green garden", "", `${"red ".repeat(510)}${"blue ".repeat(200)}`]);
    const expected = [
      meanOf(["[CLS]", "green", "garden", "[SEP]"]),
      meanOf(["[CLS]", "[SEP]"]),
      meanOf(["[CLS]", ...new Array<"red">(510).fill("red"), "[SEP]"]),
    ];
    for (const [i, vector] of vectors.entries())
      for (const [j, value] of vector.entries()) expect(value).toBeCloseTo(expected[i]![j]!, 4);
    expect((await embedder.embed(["Green garden"]))[0]).toEqual(vectors[0]);
  });

  it("refuses a folder whose model is no ONNX file", async () => {
    const folder = tinyFolder();
    appendFileSync(join(folder, "onnx", "model.onnx"), "not protobuf");
    await expect(openEmbedder(`onnx/${folder}`, { env: {} })).rejects.toThrow(/cannot load .*tiny/);
  });
});
