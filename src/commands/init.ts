import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { shellWord } from "../text/words.js";
import type { Terminal } from "./terminal.js";

/** A task and three questions of every kind. */
const TASKS = fileURLToPath(new URL("../../datasets/own", import.meta.url));
/** What runs and gates them; FOLDER stands for where they are. */
const AROUND = fileURLToPath(new URL("../../configs/init", import.meta.url));

/** `lamp-eval init [folder]`: writes the start of a task of one's own, and says how to go on. */
export const initCommand = (io: Terminal): Command =>
  new Command("init")
    .argument("[folder]", "where to, below this folder", ".")
    .addOption(new Option("--kind <kind>", "what is answered").choices(readdirSync(TASKS)).default("label"))
    .action((folder: string, { kind }: { readonly kind: string }) => {
      const sources = [join(TASKS, kind), AROUND].flatMap((from) => readdirSync(from).map((name) => join(from, name)));
      const files = sources.map((from) => ({ from, name: join(folder, basename(from)) }));
      const there = files.find(({ name }) => existsSync(resolve(io.cwd, name)));
      if (there !== undefined) throw new UsageError(`${there.name}: is there already; name another folder`);
      const named = (path: string): string => shellWord(join(folder, path));
      for (const { from, name } of files)
        writeWhole(
          resolve(io.cwd, name),
          readFileSync(from, "utf8").replaceAll(/FOLDER\/([\w./-]+)/g, (_, path: string) => named(path)),
        );
      io.out(`wrote ${files.map(({ name }) => name).join(", ")}; next:
lamp-eval run --config ${named("lamp-eval.yaml")} --out ${named("results/first")}
lamp-eval gate ${named("results/first")} --write-baseline ${named("baseline.json")}
sh ${named("ci.sh")}`);
    });
