import type { ProviderPrices } from "../../../types/index.js";
import { claudePrices } from "../anthropic/prices.js";

/** Claude costs what it does at Anthropic; where ids name a region, or none, 1.1 times that of `global.`. */
export const prices: ProviderPrices = {
  rows: claudePrices("bedrock"),
  listed(modelId) {
    const [whole = "", region] = /^(?:(global|us|eu|jp|au|apac|us-gov)\.)?anthropic\./.exec(modelId) ?? [];
    return {
      model: modelId.slice(whole.length).replace(/-v\d+(:\d+)?$/, ""),
      factor: whole === "" || region === "global" ? 1 : 1.1,
    };
  },
};
