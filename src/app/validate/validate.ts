import { dirname, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { renderText } from "../../report/tables/text.js";
import { countOf } from "../../text/count.js";
import { type Catalogue, catalogueOf } from "../catalogue.js";
import type { Io } from "../io.js";
import { loadOwnTask } from "../plugins/own-task.js";
import { withPlugins } from "../plugins/plugins.js";
import { configLayers, configPlugins, configProblems, parsed, withPrices } from "../run/config/config-file.js";
import { settingsOfLayers } from "../run/config/resolve-settings.js";
import type { RunConfig } from "../run/settings.js";
import { type PlannedArm, planWithoutData } from "./plan-without-data.js";

/** What a config file would run, or what is wrong with it. */
interface CheckedConfig {
  /** As it was named. */
  readonly file: string;
  readonly arms: readonly PlannedArm[];
  /** One line each: file, key, value, fix. */
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}

/** Checks config files key by key, each of them with its own plug-ins, as on the demo profile with `demo`. Sends nothing, reads no data. */
export async function validate(
  { files, demo = false }: { readonly files: readonly string[]; readonly demo?: boolean | undefined },
  io: Pick<Io, "cwd" | "catalogue">,
): Promise<CheckedConfig[]> {
  const found: CheckedConfig[] = [];
  for (const file of files) found.push({ file, ...(await checkFile(file, demo, io)) });
  return found;
}

/** How many arms, and below a table of them. */
export function armsText(arms: readonly PlannedArm[]): string {
  const column = (title: string) => ({ title, align: "left" }) as const;
  const table = renderText({
    columns: ["task", "method", "model", "settings that vary"].map(column),
    rows: arms.map(({ task, method, model, variant }) => [task, method, model, variant === "" ? "-" : variant]),
  });
  return `${countOf(arms.length, "arm")}\n${table}`;
}

type Checked = Omit<CheckedConfig, "file">;

/** All problems of the file: those of its form, and of what the keys that are readable name. */
async function checkFile(file: string, demo: boolean, io: Pick<Io, "cwd" | "catalogue">): Promise<Checked> {
  let formLines: readonly string[] = [];
  try {
    const path = resolve(io.cwd, file);
    const content = parsed(path, file);
    if (typeof content === "object" && content !== null && "question" in content) {
      const { plugin } = loadOwnTask(file, io.cwd);
      return { ...nothing, remarks: [`defines the task ${plugin.name}: lamp-eval run --task ${file} --data FILE`] };
    }
    const ofFile = { names: configPlugins(path, file), from: dirname(path) };
    const catalogue = catalogueOf(await withPlugins(io, ofFile));
    const form = configProblems(content);
    formLines = form.map(({ key, text }) => `${file}${key === "" ? "" : `: ${key}`}${text}`);
    const spoiled = form.flatMap((problem) => problem.spoiled);
    if (form.length > 0 && spoiled.length === 0) return { ...nothing, problems: formLines };
    const readable = Object.fromEntries(Object.entries(content ?? {}).filter(([key]) => !spoiled.includes(key)));
    const given = configLayers(readable, file, catalogue.tasks);
    const priced = given.map((layer) => withPrices(layer, dirname(path), `${file}: prices`));
    const layers = [...priced, ...(demo ? [{ demo }] : [])];
    if (layers.every(({ task, method }) => task === undefined && method === undefined))
      return checkKnobLayer(layers, file, catalogue, formLines);
    const { arms, problems, remarks } = planWithoutData(settingsOfLayers(layers, demo ? 2 : 1, catalogue));
    return { arms, remarks, problems: [...formLines, ...problems.map((problem) => `${file}: ${problem}`)] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const named = error.message.startsWith(file) ? error.message : `${file}: ${error.message}`;
    return { ...nothing, problems: [...formLines, ...(formLines.includes(named) ? [] : [named])] };
  }
}

const nothing: Checked = { arms: [], remarks: [], problems: [] };

/** A file of knobs only, for others to extend, is checked against all there is and runs nothing. */
function checkKnobLayer(
  layers: readonly RunConfig[],
  file: string,
  catalogue: Catalogue,
  formLines: readonly string[],
): Checked {
  const everything = { task: [...catalogue.tasks.names], method: [...catalogue.methods.names] };
  const { problems } = planWithoutData(settingsOfLayers([everything, ...layers], layers.length, catalogue));
  const lines = [...formLines, ...problems.map((problem) => `${file}: ${problem}`)];
  return { ...nothing, problems: lines, remarks: ["knobs only, to extend"] };
}
