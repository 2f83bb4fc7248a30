import { resolve } from "node:path";
import { Command } from "commander";
import { configLayers, configProblems, parsed, type RunConfig } from "../app/run/config-file.js";
import { type PlannedArm, planWithoutData } from "../app/run/plan-without-data.js";
import { settingsOfLayers } from "../app/run/settings.js";
import { UsageError } from "../errors.js";
import { methods } from "../methods/index.js";
import { renderText } from "../report/tables/table.js";
import { tasks } from "../tasks/index.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval validate FILE...`: checks config files key by key, and prints what they would run. Opens nothing else. */
export function validateCommand(io: Terminal): Command {
  const command = new Command("validate")
    .argument("<config...>", "config files, e.g. configs/000-t2.yaml")
    .option("--demo", "as on the demo profile")
    .action((files: string[], { demo }: { readonly demo?: boolean }) => {
      const found = files.map((file) => ({ file, ...checkFile(file, demo === true, io.cwd) }));
      for (const { file, arms, problems, remarks } of found) {
        for (const problem of problems) io.err(`lamp-eval: ${problem}`);
        if (problems.length > 0) continue;
        for (const remark of remarks) io.err(`${file}: ${remark}`);
        if (arms.length > 0) io.out(`${file}: ${arms.length} arms\n${armTable(arms)}\n`);
      }
      const wrong = found.some(({ problems }) => problems.length > 0);
      setExitCode(command, wrong ? exitCodes.usage : exitCodes.done);
    });
  return command;
}

// --- internal ---

interface Checked {
  readonly arms: readonly PlannedArm[];
  /** One line each: file, key, value, fix. */
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}

/** All problems of the file: those of its form, and of what the keys that are readable name. */
function checkFile(file: string, demo: boolean, cwd: string): Checked {
  try {
    const content = parsed(resolve(cwd, file), file);
    const form = configProblems(content);
    const formLines = form.map(({ key, text }) => `${file}${key === "" ? "" : `: ${key}`}${text}`);
    const spoiled = form.flatMap((problem) => problem.spoiled);
    if (form.length > 0 && spoiled.length === 0) return { ...nothing, problems: formLines };
    const readable = Object.fromEntries(Object.entries(content ?? {}).filter(([key]) => !spoiled.includes(key)));
    const layers = [...configLayers(readable, file), ...(demo ? [{ demo }] : [])];
    if (layers.every(({ task, method }) => task === undefined && method === undefined))
      return checkKnobLayer(layers, file);
    const { arms, problems, remarks } = planWithoutData(settingsOfLayers(layers, demo ? 2 : 1));
    return { arms, remarks, problems: [...formLines, ...problems.map((problem) => `${file}: ${problem}`)] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...nothing, problems: [error.message.startsWith(file) ? error.message : `${file}: ${error.message}`] };
  }
}

const nothing: Checked = { arms: [], remarks: [], problems: [] };

/** A file of knobs only, for others to extend, is checked against all there is and runs nothing. */
function checkKnobLayer(layers: readonly RunConfig[], file: string): Checked {
  const everything = { task: [...tasks.names], method: [...methods.names] };
  const { problems } = planWithoutData(settingsOfLayers([everything, ...layers], layers.length));
  return { ...nothing, problems: problems.map((problem) => `${file}: ${problem}`), remarks: ["knobs only, to extend"] };
}

function armTable(arms: readonly PlannedArm[]): string {
  const column = (title: string) => ({ title, align: "left" }) as const;
  return renderText({
    columns: ["task", "method", "model", "settings that vary"].map(column),
    rows: arms.map(({ task, method, model, variant }) => [task, method, model, variant === "" ? "-" : variant]),
  });
}
