import { knownSecrets, redactor, withoutSecrets } from "../../net/secrets.js";
import type { OpenedPrograms, ProgramSettings } from "../../plan/io.js";
import { type ExecOptions, execOptions } from "../../plan/options.js";
import { text } from "../../registry/options.js";
import { contentId } from "../../text/content-id.js";
import type { CallRange, Kit, Method, Options, OptionTable, Phase, ProgramUse, TaskBrief } from "../../types/index.js";
import { type Command, EXEC, findCommand } from "./command.js";
import { Program } from "./program.js";
import { helloMessage, questionMessage, userMessage } from "./protocol.js";

export function openCommands(settings: ProgramSettings): OpenedPrograms {
  const { cwd, env, clock, allowed = [], keys, recorded, dryRun, stop, kill } = settings;
  const redact = redactor(knownSecrets(env, [], keys));
  const surroundings = { cwd, env: withoutSecrets(env, allowed, keys), redact };
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
      const known = recorded?.get(`${EXEC}${text}`);
      if (known !== undefined) return execMethod({ text, content: known }, () => []);
      const command = findCommand(text, cwd, env.PATH ?? "");
      return execMethod(command, (options, hello) => {
        if (dryRun) return [];
        const one = (): Program => new Program({ command, options, hello, surroundings, clock });
        const started = Array.from({ length: options["exec.processes"] }, one);
        if (programs.length === 0) process.on("exit", killAll); // a process that ends at once leaves none running
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

/** The programs of one arm, which are not started yet; none where nothing may be started. */
type OpenPrograms = (options: ExecOptions, hello: object) => readonly Program[];

/** Makes the method `exec:COMMAND`: a program of the user's own answers, over JSON lines (docs/EXTENDING.md). */
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
      const hasDoor = settings["exec.door"] === "on";
      const brief = helloMessage(kit.task as TaskBrief, name, seed);
      const greeting = hasDoor ? { ...brief, date: settings["exec.date"], embedder: { id: kit.embedder.id } } : brief;
      const shared = await kit.shared("exec", async () => ({ programs: openPrograms(settings, greeting), users: 0 }));
      const program = shared.programs[shared.users++ % shared.programs.length]; // each new user goes to the next in turn
      const unit = `${user.id}/${contentId(user.history).slice(0, 8)}`;
      const history = userMessage(unit, user);
      const begun = contentId({ greeting, user: history });
      const ingestion = { command: command.content, begun };
      const ingest = async (own: Kit, use: ProgramUse): Promise<string> =>
        program?.do({ id: unit, phase: "ingest", message: history, kit: own, use }) ?? "";
      if (hasDoor) await kit.program(ingestion, async (own, use) => program?.inTurn(() => ingest(own, use)) ?? "");
      return async (question, questionKit) => {
        const sent = questionMessage(unit, question);
        const job = { ...ingestion, question: sent };
        const output = await questionKit.program(job, async (own, use) => {
          if (program === undefined) return "";
          return program.inTurn(async () => {
            if (!program.knows(unit) && hasDoor) await kit.program(ingestion, ingest, "again"); // its process is a new one
            if (!program.knows(unit)) await program.tell(unit, history, own);
            return program.do({ id: question.id, phase: "answer", message: sent, kit: own, use });
          });
        });
        questionKit.note({ kind: "program", data: { sent, output } });
        return output;
      };
    },
    embeds: (settings) => settings["exec.door"] === "on",
    plan: (settings) => ({
      perUnit: () => (settings["exec.door"] === "on" ? asked("ingest") : {}),
      perQuestion: () => (settings["exec.door"] === "on" ? asked("answer") : {}),
    }),
  };
  return method;
}

/** Phases of a program that may ask any of the run's models; how often is not known. */
const asked = (phase: Phase): CallRange =>
  Object.fromEntries(["", "@reference", "@judge"].map((role) => [`${phase}${role}`, { low: 0, high: 0 }]));
