import { expect, test } from "vitest";
import type { RunPlan } from "../../src/run/manifest.js";
import { portablePlan } from "../../src/run/manifest.js";

const options = {
  "wiki.fixture": "/home/me/pages.json",
  embedder: "onnx//srv/models/minilm",
  "embedder.baseUrl": "http://me:secret@host:1/v1",
  "rag.k": 4,
  "sage.schema": "a\\nb",
  other: "C:\\Users\\me\\x.json",
};
const plan: RunPlan = {
  cells: [{ id: "c", task: "lamp3", dataset: "d", method: "rag", model: "openai/org/m", options, seed: 0, repeat: 0 }],
  data: [],
  baseUrl: "http://me:secret@host/v1",
  notApplied: [],
};

test("a portable plan keeps names and values, and no address, login or folder", () => {
  const { cells, ...rest } = portablePlan(plan);
  expect(rest).toEqual({ data: [], notApplied: [] });
  expect(cells[0]).toMatchObject({ id: "c", model: "openai/org/m" });
  expect(cells[0]?.options).toEqual({
    "wiki.fixture": "pages.json",
    embedder: "onnx/minilm",
    "embedder.baseUrl": "(an address)",
    "rag.k": 4,
    "sage.schema": "a\\nb",
    other: "x.json",
  });
});
