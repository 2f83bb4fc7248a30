import { Command } from "commander";
import type { Terminal } from "../terminal.js";
import { addEval } from "./eval.js";
import { addTrain } from "./train.js";

/** `lamp-eval rums train|eval`: what is made of the utilities that a run measured. Neither asks a model. */
export function rumsCommand(io: Terminal): Command {
  const command = new Command("rums");
  addTrain(command, io);
  addEval(command, io);
  return command;
}
