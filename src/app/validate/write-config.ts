import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { stringify } from "yaml";
import { UsageError } from "../../errors.js";
import { writeText } from "../common/write-text.js";
import type { Io } from "../io.js";
import { settingsOfRequest } from "../run/config/resolve-settings.js";
import { configSettings, flagOf, type RunRequest, type Setting, settingGroups } from "../run/settings.js";
import { planWithoutData } from "./plan-without-data.js";

/**
 * Writes what a run was asked for as a config file: every setting stands in it with its meaning, those that were not given as
 * comments. Returns what to type next, a line each. Throws UsageError on settings that a run would refuse, and where the file exists.
 */
export async function writeConfig(asked: RunRequest, file: string, io: Io): Promise<string[]> {
  const { options: set, preset, config, ...own } = asked;
  if (config !== undefined) throw new UsageError(`--config ${config}: is a config already; copy it`);
  const given: Readonly<Record<string, unknown>> = { ...own, set, extends: preset };
  const foreign = Object.keys(given).find((key) => given[key] !== undefined && !Object.hasOwn(configSettings, key));
  if (foreign !== undefined) throw new UsageError(`${flagOf(foreign)}: stands in no config; give it to the run itself`);
  const path = resolve(io.cwd, file);
  if (existsSync(path)) throw new UsageError(`--write-config ${file}: this file exists; name a new one`);
  const [problem] = planWithoutData(await settingsOfRequest(asked, io)).problems;
  if (problem !== undefined) throw new UsageError(problem);
  const settings = Object.entries<Setting>(configSettings);
  const lines = Object.entries(settingGroups).flatMap(([group, heading]) => [
    "",
    `# ${heading}`,
    ...settings
      .filter(([, setting]) => setting.group === group)
      .map(([key, { help }]) => settingLine(key, given[key], help)),
  ]);
  writeText(path, `# lamp-eval run --config ${file}; flags win over it\n${lines.join("\n")}\n`);
  return [`lamp-eval run --config ${file} --dry-run`, `lamp-eval run --config ${file}`];
}

const settingLine = (key: string, value: unknown, help: string): string =>
  value === undefined ? `# ${key}: # ${help}` : `${entry(key, value)} # ${help}`;

const entry = (key: string, value: unknown): string =>
  stringify({ [key]: value }, { collectionStyle: "flow", lineWidth: 0 })
    .trim()
    .replace(/^\{ (.*) \}$/, "$1");
