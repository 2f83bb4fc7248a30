import { integer } from "../options.js";

/** How much of a past a model is shown when it is asked to choose. */
export const listedOption = {
  "select.listed": integer({
    default: 50,
    min: 1,
    help: "newest events that a model is shown when it chooses among them (papers/002: 50 items)",
  }),
} as const;
