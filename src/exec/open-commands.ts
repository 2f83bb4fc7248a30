import { knownSecrets, withoutSecrets } from "../net/known.js";
import { redactor } from "../net/redactor.js";
import { text } from "../registry/options.js";
import { type ExecOptions, execOptions } from "../run/plan/exec-options.js";
import { contentId } from "../text/content-id.js";
import type { Clock, Method, Options, OptionTable, TaskBrief } from "../types/index.js";
import { atExit } from "./child.js";
import { type Command, EXEC, findCommand } from "./command.js";
import { hello, questionMessage, userMessage } from "./protocol.js";
import { Worker } from "./worker.js";

/** The programs of a run. */
export interface Commands {
  /** The method of `exec:COMMAND`, undefined for any other name. Throws UsageError where there is no such program. */
  method(name: string): Method | undefined;
  /** Ends every program that was started. */
  close(): Promise<void>;
}

/** Where programs run, and when they stop. */
interface CommandSettings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that programs get although they hold a secret. */
  readonly allowed?: readonly string[];
  /** Variables that hold a key whatever they are called. */
  readonly keys?: readonly string[];
  readonly clock: Clock;
  /** By method name, the content ids that programs had in a recorded run: these need not be here, and nothing is started. */
  readonly recorded?: ReadonlyMap<string, string> | undefined;
  /** Nothing is started, every answer is empty. */
  readonly dryRun: boolean;
  /** Fires when questions that wait are given up. */
  readonly stop: AbortSignal;
  /** Fires when programs are ended, whatever they are at. */
  readonly kill: AbortSignal;
}

export function openCommands(settings: CommandSettings): Commands {
  const { cwd, env, clock, recorded, dryRun, stop, kill } = settings;
  const surroundings = { cwd, env: withoutSecrets(env, settings.allowed ?? [], settings.keys) };
  const redact = redactor(knownSecrets(env, [], settings.keys).values);
  const workers: Worker[] = [];
  const exit = atExit();
  const stopAll = (): void => {
    for (const worker of workers) worker.stop();
  };
  const closeAll = (): Promise<unknown> => Promise.all(workers.map((worker) => worker.close()));
  stop.addEventListener("abort", stopAll, { once: true });
  kill.addEventListener("abort", closeAll, { once: true });
  return {
    method(name) {
      if (!name.startsWith(EXEC)) return undefined;
      const text = name.slice(EXEC.length).trim();
      const known = recorded?.get(`${EXEC}${text}`);
      const command = known === undefined ? findCommand(text, cwd, env.PATH ?? "") : { text, content: known };
      return execMethod(command, (options, hello) => {
        if (!("program" in command)) return [];
        if (dryRun) return [];
        const crew = Array.from(
          { length: options["exec.processes"] },
          () => new Worker({ command, options, hello, surroundings, redact, clock, exit }),
        );
        workers.push(...crew);
        return crew;
      });
    },
    async close() {
      stop.removeEventListener("abort", stopAll);
      kill.removeEventListener("abort", closeAll);
      await closeAll();
    },
  };
}

/** The programs of one cell, which are not started yet; none in a dry run. */
type OpenCrew = (options: ExecOptions, hello: object) => readonly Worker[];

/** `exec:COMMAND`: a program of the user's own answers, over JSON lines (docs/EXTENDING.md). */
function execMethod(command: Pick<Command, "text" | "content">, openCrew: OpenCrew): Method {
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
      const greeting = {
        ...hello(kit.task as TaskBrief, name),
        seed: Math.floor(kit.runRandom("exec").next() * 2 ** 31),
      };
      const crew = await kit.shared("exec", async () => ({ workers: openCrew(settings, greeting), users: 0 }));
      const worker = crew.workers[crew.users++ % crew.workers.length]; // each new user goes to the next in turn
      const unit = `${user.id}/${contentId(user.history).slice(0, 8)}`;
      const begun = contentId({ greeting, user: userMessage(unit, user) });
      return async (question, questionKit) => {
        const sent = questionMessage(unit, question);
        const job = { command: command.content, begun, question: sent };
        const output = await questionKit.program(job, async () =>
          worker === undefined ? "" : worker.answer({ unit, user }, question, questionKit),
        );
        questionKit.note({ kind: "program", data: { sent, output } });
        return output;
      };
    },
    plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
  };
  return method;
}
