import { text } from "../options.js";
import { contentId } from "../text/content-id.js";
import type { Method, Options, OptionTable, Question, TaskBrief } from "../types.js";
import { type Command, EXEC } from "./command.js";
import { type ExecOptions, execOptions } from "./options.js";
import { hello, questionMessage } from "./protocol.js";
import type { ToldUser } from "./worker.js";

/** The programs of one cell. */
export interface Crew {
  /** The program that keeps this user. */
  take(told: ToldUser): { answer(question: Question, kit: Parameters<Method["personalize"]>[2]): Promise<string> };
}

/** Starts nothing yet. */
type OpenCrew = (options: ExecOptions, hello: object) => Crew;

/** `exec:COMMAND`: a program of the user's own answers, over JSON lines (docs/EXEC.md). */
export function execMethod(command: Command, openCrew: OpenCrew): Method {
  const name = `${EXEC}${command.text}`;
  const options = {
    ...execOptions,
    "exec.command": text({ default: command.text, help: "exec: the command" }),
    "exec.content": text({ default: command.content, help: "exec: content id of the command's words and files" }),
  } satisfies OptionTable;
  const method: Method<typeof options> = {
    name,
    summary: "a program of your own, over JSON lines on stdin and stdout",
    source: "docs/EXEC.md",
    options,
    callsElsewhere: true,
    async personalize(user, settings: Options<typeof options>, kit) {
      const greeting = {
        ...hello(kit.task as TaskBrief, name),
        seed: Math.floor(kit.runRandom("exec").next() * 2 ** 31),
      };
      const crew = await kit.shared("exec", async () => openCrew(settings, greeting));
      const unit = `${user.id}/${contentId(user.history).slice(0, 8)}`;
      const { answer } = crew.take({ unit, user });
      return async (question, questionKit) => {
        const output = await answer(question, questionKit);
        questionKit.note({ kind: "program", data: { sent: questionMessage(unit, question), output } });
        return output;
      };
    },
    plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
  };
  return method;
}
