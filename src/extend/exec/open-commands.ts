import { knownSecrets, redactor, withoutSecrets } from "../../net/secrets.js";
import type { OpenedPrograms, ProgramSettings } from "../../plan/io.js";
import { type ExecOptions, execOptions } from "../../plan/options.js";
import { text } from "../../registry/options.js";
import { contentId } from "../../text/content-id.js";
import type { Method, Options, OptionTable, TaskBrief } from "../../types/index.js";
import { type Command, EXEC, findCommand } from "./command.js";
import { Program } from "./program.js";
import { helloMessage, questionMessage, userMessage } from "./protocol.js";

export function openCommands(settings: ProgramSettings): OpenedPrograms {
  const { cwd, env, clock, allowed = [], keys, recorded, dryRun, stop, kill } = settings;
  const redact = redactor(knownSecrets(env, [], keys));
  const child = { cwd, env: withoutSecrets(env, allowed, keys), redact };
  const programs: Program[] = [];
  const stopAll = (): void => {
    for (const program of programs) program.stop();
  };
  const killAll = (): void => {
    for (const program of programs) program.kill();
  };
  const closeAll = (): Promise<unknown> => Promise.all(programs.map((program) => program.close()));
  stop.addEventListener("abort", stopAll, { once: true });
  kill.addEventListener("abort", closeAll, { once: true });
  return {
    method(name) {
      if (!name.startsWith(EXEC)) return undefined;
      const text = name.slice(EXEC.length).trim();
      const recordedContent = recorded?.get(`${EXEC}${text}`);
      if (recordedContent !== undefined) return execMethod({ text, content: recordedContent }, () => []);
      const command = findCommand(text, cwd, env.PATH ?? "");
      return execMethod(command, (options, hello) => {
        if (dryRun) return [];
        const newProgram = (): Program => new Program({ command, options, hello, child, clock });
        const started = Array.from({ length: options["exec.processes"] }, newProgram);
        if (programs.length === 0) process.on("exit", killAll); // process.exit leaves no program running
        programs.push(...started);
        return started;
      });
    },
    async close() {
      stop.removeEventListener("abort", stopAll);
      kill.removeEventListener("abort", closeAll);
      await closeAll();
      process.off("exit", killAll);
    },
  };
}

/** Returns the programs of an arm, not yet started; none in a dry run or replay. */
type OpenPrograms = (options: ExecOptions, hello: object) => readonly Program[];

/** Returns the method `exec:COMMAND`: a program answers, over JSON lines (docs/EXTENDING.md). */
function execMethod(command: Pick<Command, "text" | "content">, openPrograms: OpenPrograms): Method {
  const name = `${EXEC}${command.text}`;
  const options = {
    ...execOptions,
    "exec.command": text({ default: command.text, help: "exec: the command" }),
    "exec.content": text({ default: command.content, help: "exec: content id of the command's words and files" }),
  } satisfies OptionTable;
  const method: Method<typeof options> = {
    name,
    summary: "a program of your own, over JSON lines on stdin and stdout",
    source: "docs/EXTENDING.md",
    options,
    callsElsewhere: true,
    async personalize(user, settings: Options<typeof options>, kit) {
      const seed = Math.floor(kit.runRandom("exec").next() * 2 ** 31);
      const hello = helloMessage(kit.task as TaskBrief, name, seed);
      const shared = await kit.shared("exec", async () => ({ programs: openPrograms(settings, hello), users: 0 }));
      const program = shared.programs[shared.users++ % shared.programs.length]; // each new user goes to the next in turn
      const unit = `${user.id}/${contentId(user.history).slice(0, 8)}`;
      const begun = contentId({ greeting: hello, user: userMessage(unit, user) });
      return async (question, questionKit) => {
        const sent = questionMessage(unit, question);
        const job = { command: command.content, begun, question: sent };
        const output = await questionKit.program(job, async () =>
          program === undefined ? "" : program.answer(unit, user, question, questionKit),
        );
        questionKit.note({ kind: "program", data: { sent, output } });
        return output;
      };
    },
    plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
  };
  return method;
}
