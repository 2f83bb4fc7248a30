import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Words the tiny model knows, by token id. */
export const tinyWords = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "green", "blue", "garden", "gate"] as const;

/** Length of the tiny model's vectors. */
export const tinyWidth = 4;

/** The token vector of a word: row of the embedding table, as the file holds it. */
export function tinyVector(word: (typeof tinyWords)[number]): number[] {
  const token = tinyWords.indexOf(word);
  return Array.from({ length: tinyWidth }, (_, i) => Math.fround(Math.sin(1 + token * tinyWidth + i)));
}

/**
 * Writes a sentence-transformers folder by hand: an ONNX graph that looks each token up in a table, and a tokenizer that
 * lower-cases, cuts at spaces and frames a text with [CLS] and [SEP].
 */
export function writeTinyModel(folder: string): void {
  mkdirSync(join(folder, "onnx"), { recursive: true });
  const json = (name: string, value: unknown): void => writeFileSync(join(folder, name), JSON.stringify(value));
  const architectures = ["BertModel"];
  json("config.json", { model_type: "bert", architectures, hidden_size: tinyWidth });
  json("tokenizer_config.json", { tokenizer_class: "BertTokenizer", model_max_length: 512, pad_token: "[PAD]" });
  json("tokenizer.json", tokenizer());
  writeFileSync(join(folder, "onnx", "model.onnx"), tinyModel());
}

function tokenizer(): unknown {
  const special = (id: number): unknown => ({
    id,
    content: tinyWords[id],
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  const token = (id: string): unknown => ({ SpecialToken: { id, type_id: 0 } });
  const named = (id: number): unknown => ({ id: tinyWords[id], ids: [id], tokens: [tinyWords[id]] });
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [0, 1, 2, 3].map(special),
    normalizer: { type: "Lowercase" },
    pre_tokenizer: { type: "Whitespace" },
    post_processor: {
      type: "TemplateProcessing",
      single: [token("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, token("[SEP]")],
      pair: [
        ...[token("[CLS]"), { Sequence: { id: "A", type_id: 0 } }, token("[SEP]")],
        ...[{ Sequence: { id: "B", type_id: 0 } }, token("[SEP]")],
      ],
      special_tokens: { "[CLS]": named(2), "[SEP]": named(3) },
    },
    decoder: null,
    model: {
      type: "WordPiece",
      vocab: Object.fromEntries(tinyWords.map((word, id) => [word, id])),
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
    },
  };
}

const FLOAT = 1;
const INT64 = 7;

/**
 * ModelProto of Gather(table, input_ids). Field numbers: onnx/onnx.proto3, IR version 8, opset 17.
 */
function tinyModel(): Buffer {
  const values = Float32Array.from(tinyWords.flatMap(tinyVector));
  const table = message(
    number(1, tinyWords.length),
    number(1, tinyWidth),
    number(2, FLOAT),
    bytes(8, "table"),
    bytes(9, Buffer.from(values.buffer)),
  );
  const gather = message(bytes(1, "table"), bytes(1, "input_ids"), bytes(2, "last_hidden_state"), bytes(4, "Gather"));
  const graph = message(
    bytes(1, gather),
    bytes(2, "tiny"),
    bytes(5, table),
    bytes(11, tensor("input_ids", INT64, ["batch", "tokens"])),
    bytes(11, tensor("attention_mask", INT64, ["batch", "tokens"])),
    bytes(12, tensor("last_hidden_state", FLOAT, ["batch", "tokens", tinyWidth])),
  );
  return message(number(1, 8), bytes(7, graph), bytes(8, message(bytes(1, ""), number(2, 17))));
}

/** ValueInfoProto of a tensor; a word stands for a length that varies. */
function tensor(name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const sides = shape.map((side) => bytes(1, message(typeof side === "number" ? number(1, side) : bytes(2, side))));
  return message(bytes(1, name), bytes(2, message(bytes(1, message(number(1, type), bytes(2, message(...sides)))))));
}

const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);

/** A protobuf field of wire type 0. */
const number = (field: number, value: number): Buffer => Buffer.concat([varint(field << 3), varint(value)]);

/** A protobuf field of wire type 2. */
function bytes(field: number, value: string | Buffer): Buffer {
  const content = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const groups: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) groups.push((rest & 127) | 128);
  return Buffer.from([...groups, rest]);
}
