import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { readText, removeFile, writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { parsed } from "../../run/record-lines.js";

const schema = z.object({ run: z.string(), owner: z.string(), database: z.string() });

/** Which run of which database works for a folder: it stands there as long as the database holds anything of it. */
export type CrewFile = z.infer<typeof schema>;

const CREW = "workers.json";

export const crewPath = (folder: string): string => join(folder, CREW);

export const hasCrew = (folder: string): boolean => existsSync(crewPath(folder));

export function readCrewFile(folder: string): CrewFile | undefined {
  if (!hasCrew(folder)) return undefined;
  const read = schema.safeParse(parsed(readText(crewPath(folder))));
  if (read.success) return read.data;
  throw new UsageError(`${crewPath(folder)} is damaged; remove it to go on without what the workers have bought since`);
}

export const writeCrewFile = (folder: string, file: CrewFile): void =>
  writeWhole(crewPath(folder), `${JSON.stringify(file)}\n`);

export const removeCrewFile = (folder: string): void => removeFile(crewPath(folder));
