import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openEmbedder } from "../../src/embedders/index.js";
import {
  encoderOf,
  importTransformers,
  type LoadEncoder,
  type ModelFiles,
  meanPool,
  openOnnx,
  type TokenInputs,
  type Transformers,
  type TransformersModel,
} from "../../src/embedders/onnx.js";
import { UsageError } from "../../src/errors.js";
import { tempDir } from "../helpers/temp-dir.js";
import { tinyVector, tinyWidth, type tinyWords, writeTinyModel } from "../helpers/tiny-onnx.js";

function tinyFolder(): string {
  const folder = join(tempDir(), "tiny");
  writeTinyModel(folder);
  return folder;
}

/** The mean of token vectors, computed apart from the code under test. */
function meanOf(words: readonly (typeof tinyWords)[number][]): number[] {
  const rows = words.map(tinyVector);
  return Array.from({ length: tinyWidth }, (_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length);
}

const scaled = (vector: readonly number[]): number[] => vector.map((value) => value / Math.hypot(...vector));

describe("meanPool", () => {
  it("leaves padding out", () => {
    const hidden = Float32Array.from([1, 2, 3, 4, 900, 900]);
    expect([...meanPool(hidden, [1n, 1n, 0n], 2)]).toEqual([2, 3]);
  });

  it("gives zeros where no token counts", () => {
    expect([...meanPool(Float32Array.from([5, 5]), [0], 2)]).toEqual([0, 0]);
  });
});

/** Encodes a text as one token vector per word: its length and 1. */
function loadLengths(seen: { place?: ModelFiles; maxTokens?: number } = {}): LoadEncoder {
  return async (place) => {
    Object.assign(seen, { place });
    return {
      async encode(text, maxTokens) {
        seen.maxTokens = maxTokens;
        const words = text.split(" ");
        const hidden = Float32Array.from(words.flatMap((word) => [word.length, 1]));
        return { hidden, mask: words.map(() => 1), width: 2 };
      },
    };
  };
}

describe("openOnnx", () => {
  it("scales the mean of the token vectors to length 1, at most 512 tokens a text", async () => {
    const seen: Parameters<typeof loadLengths>[0] = {};
    const embedder = await openOnnx("owner/name", {}, loadLengths(seen));
    expect(seen).toEqual({
      place: { kind: "hub", name: "owner/name", revision: "main" },
      maxTokens: 512,
    });
    expect(embedder).toMatchObject({ id: "onnx/owner/name", dimensions: 2 });
    const [vector] = await embedder.embed(["ab abcd"]);
    expect(vector![0]).toBeCloseTo(3 / Math.hypot(3, 1), 6);
  });

  it("keeps lengths for the raw dot product, under another id", async () => {
    const embedder = await openOnnx("owner/name", { similarity: "dot" }, loadLengths());
    expect(embedder.id).toBe("onnx/owner/name#dot");
    expect((await embedder.embed(["ab abcd"]))[0]).toEqual(Float32Array.from([3, 1]));
  });

  it("names a folder by the content of its files, so that changed weights are another embedder", async () => {
    const folder = tinyFolder();
    const before = await openOnnx(folder, {}, loadLengths());
    expect((await openOnnx(folder, {}, loadLengths())).id).toBe(before.id);
    expect(before.id).toMatch(/^onnx\/.*tiny@[0-9a-f]{12}$/);
    appendFileSync(join(folder, "onnx", "model.onnx"), "\0");
    expect((await openOnnx(folder, {}, loadLengths())).id).not.toBe(before.id);
  });

  it("refuses a folder that lacks a file, and a name that is neither folder nor hub model", async () => {
    const folder = tinyFolder();
    rmSync(join(folder, "tokenizer.json"));
    await expect(openOnnx(folder, {}, loadLengths())).rejects.toThrow(
      /tokenizer\.json: no such file; a model folder holds/,
    );
    for (const id of ["", "a/b/c", "a b"])
      await expect(openOnnx(id, {}, loadLengths())).rejects.toThrow(/expected a hub model such as onnx\/sentence-/);
  });
});

describe("importTransformers", () => {
  it("says which command installs a missing package", async () => {
    const missing = Object.assign(new Error("Cannot find package '@huggingface/transformers' imported from /x.js"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    const opened = importTransformers(() => Promise.reject(missing));
    await expect(opened).rejects.toThrow(UsageError);
    await expect(opened).rejects.toThrow(
      "embedder onnx: the package @huggingface/transformers is not installed; install it beside lamp-eval: ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers@4",
    );
  });
});

describe("encoderOf", () => {
  const place: ModelFiles = { kind: "hub", name: "a/b", revision: "v1" };

  class Tensor {
    constructor(
      readonly type: string,
      readonly data: BigInt64Array,
      readonly dims: readonly number[],
    ) {}
  }

  /** A tokenizer that frames one token per letter with 101 and 102, and a model that gives `outputs`. */
  function fake(outputs: Awaited<ReturnType<TransformersModel>>, limit: number | null = 512) {
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
      return {
        input_ids: tensor(ids),
        attention_mask: tensor(ids.map(() => 1n)),
        token_type_ids: tensor(ids.map(() => 0n)),
      };
    };
    const model: TransformersModel = async (inputs) => {
      ran.push(inputs);
      return outputs;
    };
    const transformers: Transformers = {
      AutoTokenizer: { from_pretrained: give(Object.assign(tokenizer, { model_max_length: limit })) },
      AutoModel: { from_pretrained: give(model) },
      Tensor,
    };
    return { transformers, asked, ran };
  }

  const hidden = { last_hidden_state: { data: Float32Array.of(1, 2), dims: [1, 1, 2] } };

  it("loads full-precision weights of the revision, on one thread", async () => {
    const { transformers, asked } = fake(hidden);
    await encoderOf(transformers, place);
    expect(asked[0]).toEqual(["a/b", { revision: "v1" }]);
    expect(asked[1]).toMatchObject([
      "a/b",
      { revision: "v1", dtype: "fp32", session_options: { intraOpNumThreads: 1 } },
    ]);
  });

  it.each([
    [6, 6],
    [1e30, 8],
    [null, 8],
  ])(
    "cuts at the smaller of the model's limit (%s) and the one asked for, and keeps the closing token",
    async (limit, length) => {
      const { transformers, ran } = fake(hidden, limit);
      const { mask } = await (await encoderOf(transformers, place)).encode("abcdefghij", 8);
      const ids = ran[0]!.input_ids.data;
      expect([...ids].map(Number)).toEqual([
        101,
        ...[..."abcdef"].slice(0, length - 2).map((c) => c.charCodeAt(0)),
        102,
      ]);
      expect(mask).toHaveLength(length);
      expect(ran[0]!.token_type_ids).toMatchObject({ type: "int64", dims: [1, length] });
    },
  );
});

/** The real package is an optional peer of 474 MB: its tests run where it is installed (docs/EXTENDING.md). */
const installed = await importTransformers().then(
  () => true,
  () => false,
);

describe.runIf(installed)("onnx with @huggingface/transformers", () => {
  it("embeds a folder's model: frame tokens and words averaged, scaled to length 1", async () => {
    const embedder = await openEmbedder(`onnx/${tinyFolder()}`, { env: {} });
    expect(embedder.dimensions).toBe(tinyWidth);
    const vectors = await embedder.embed(["Green garden", "what", ""]);
    const expected = [
      meanOf(["[CLS]", "green", "garden", "[SEP]"]),
      meanOf(["[CLS]", "[UNK]", "[SEP]"]),
      meanOf(["[CLS]", "[SEP]"]),
    ].map(scaled);
    for (const [i, vector] of vectors.entries())
      for (const [j, value] of vector.entries()) expect(value).toBeCloseTo(expected[i]![j]!, 5);
  });

  it("cuts a long text to 512 tokens, the frame included", async () => {
    const embedder = await openEmbedder(`onnx/${tinyFolder()}`, { env: {}, similarity: "dot" });
    const [vector] = await embedder.embed([`${"red ".repeat(510)}${"blue ".repeat(200)}`]);
    const expected = meanOf(["[CLS]", ...new Array<"red">(510).fill("red"), "[SEP]"]);
    for (const [i, value] of vector!.entries()) expect(value).toBeCloseTo(expected[i]!, 4);
  });

  it("gives a text the same bytes whatever stands beside it", async () => {
    const embedder = await openEmbedder(`onnx/${tinyFolder()}`, { env: {} });
    const [alone] = await embedder.embed(["garden gate"]);
    const [, beside] = await embedder.embed(["red green blue garden gate", "garden gate"]);
    expect(beside).toEqual(alone);
  });

  it("refuses a folder whose model is no ONNX file", async () => {
    const folder = tinyFolder();
    appendFileSync(join(folder, "onnx", "model.onnx"), "not protobuf");
    await expect(openEmbedder(`onnx/${folder}`, { env: {} })).rejects.toThrow(/cannot load .*tiny/);
  });
});
