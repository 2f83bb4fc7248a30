import { alwaysSelector } from "./always.js";

export const none = alwaysSelector({
  name: "none",
  summary: "nothing of the past: the plain prompt",
  source: "RUMS, baseline None",
  of: () => [],
});
