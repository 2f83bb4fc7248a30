import { rouge1, rougeL } from "../metrics/rouge.js";
import type { Task } from "../types/index.js";
import { dialogue } from "./dialogue.js";

/** The last line of each dialogue is asked; the gold is the reply in the data, which the assistant paper does not use: its judge needs none. */
export const personachat: Task = {
  name: "personachat",
  title: "PersonaChat: the last reply of a dialogue",
  source: "Zhang et al. 2018 (PersonaChat), read as the assistant paper does; METHODS 11",
  official: "personachat",
  aliases: ["persona_chat", "convai2"],
  metrics: [rouge1, rougeL],
  ...dialogue,
};
