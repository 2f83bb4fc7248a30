import { alwaysSelector } from "./always.js";

export const none = alwaysSelector({
  name: "none",
  summary: "nothing of the past: the plain prompt",
  source: "papers/002, baseline None",
  of: () => [],
});
