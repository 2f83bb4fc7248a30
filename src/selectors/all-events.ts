import { alwaysSelector } from "./always.js";

export const allEvents = alwaysSelector({
  name: "all",
  summary: "the whole visible past, newest first, however long",
  source: "RUMS, baseline All",
  of: (history) => [...history].reverse(),
});
