import { expect, test } from "vitest";
import { mapTexts, withoutFolder } from "../../src/net/secrets.js";

const options = {
  "wiki.fixture": "/home/me/pages.json",
  embedder: "onnx//srv/models/minilm",
  "embedder.baseUrl": "http://me:secret@host:1/v1",
  "rag.k": 4,
  "sage.schema": "a\\nb",
  other: "C:\\Users\\me\\x.json",
};

test("options for other machines keep names and values, and no address, login or folder", () => {
  expect(mapTexts(options, withoutFolder)).toEqual({
    "wiki.fixture": "pages.json",
    embedder: "onnx/minilm",
    "embedder.baseUrl": "(an address)",
    "rag.k": 4,
    "sage.schema": "a\\nb",
    other: "x.json",
  });
});
