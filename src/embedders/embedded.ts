import { registry } from "../registry.js";
import { hashed1 } from "./hashed-1.js";
import type { EmbedderProvider } from "./provider.js";

/** Embedders that need no download, key or network. */
export const embedded: EmbedderProvider = {
  name: "embedded",
  summary: "computed in process from the words themselves: no download, no key (hashed-1)",
  costly: false,
  open: async (id) => versions.get(id, "embedder").embedder,
};

const versions = registry("embedded embedder", [{ name: "hashed-1", embedder: hashed1 }]);
