import { mention } from "../metrics/mention.js";
import type { Task } from "../types/index.js";
import { dialogue } from "./dialogue.js";

/** Own dialogues of fifty turns in the structure of the assistant paper's "Alex". A gold is what a turn of recall asks for. */
export const alexLike: Task = {
  name: "alex-like",
  title: "Dialogues of 50 turns: long-term memory",
  source: "own text, in the structure of section 4.1.1 of the assistant paper (METHODS 11)",
  official: "alex_like",
  aliases: ["alex"],
  metrics: [mention],
  ...dialogue,
};
