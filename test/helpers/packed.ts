import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { inject } from "vitest";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Somebody's project outside the repository, in which the packed package is installed. */
export interface OutsideProject {
  /** Absolute. */
  readonly folder: string;
  write(file: string, text: string): void;
  /** Runs Node in it, in an environment that holds nothing but PATH. A file of TypeScript runs where Node takes it. */
  node(...args: readonly string[]): Promise<Ended>;
  /** Runs the installed `lamp-eval`. */
  lampEval(...args: readonly string[]): Promise<Ended>;
  /**
   * Type-checks its files as strictly as TypeScript can, and the declarations that the package brings; those of other packages
   * not. Emits JavaScript beside the files. Gives what tsc prints.
   */
  compile(...files: readonly string[]): string;
}

/**
 * A fresh project with the package installed from its tarball, and of the repository's packages only those that it depends on
 * (TypeScript and Node's types besides). Packed and unpacked once for all tests of a run; it packs `dist` as it is, so build first.
 */
export async function outsideProject(): Promise<OutsideProject> {
  const folder = mkdtempSync(join(await installed(), "project-"));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write("package.json", '{ "name": "outside", "private": true, "type": "module" }\n');
  const node = (...args: readonly string[]) => run(process.execPath, args, folder);
  return {
    folder,
    write,
    node,
    lampEval: (...args) => node(join(folder, "..", "node_modules", "lamp-eval", "bin", "lamp-eval.js"), ...args),
    compile: (...files) => compile(realpathSync(folder), files),
  };
}

const repository = fileURLToPath(new URL("../..", import.meta.url));

const strictest: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  types: ["node"],
  module: ts.ModuleKind.NodeNext,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
};

function compile(folder: string, files: readonly string[]): string {
  const roots = files.map((file) => join(folder, file));
  const host = { ...ts.createCompilerHost(strictest), getCurrentDirectory: () => folder };
  const program = ts.createProgram(roots, strictest, host);
  // Other packages are links that lead out of here.
  const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(dirname(folder)));
  const found = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  for (const root of roots) program.emit(program.getSourceFile(root)); // all at once would check every library's files too
  return ts.formatDiagnostics(found, {
    getCurrentDirectory: () => folder,
    getCanonicalFileName: (name) => name,
    getNewLine: () => "\n",
  });
}

let installing: Promise<string> | undefined;

/** The folder above all projects; it holds `node_modules`. */
function installed(): Promise<string> {
  installing ??= install(inject("packedFolder"));
  return installing;
}

/** Each worker may come here first: what the slower one has packed is left unused. */
async function install(home: string): Promise<string> {
  const target = join(home, "installed");
  if (existsSync(target)) return target;
  const folder = mkdtempSync(join(home, "packing-"));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  const packed = await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], repository);
  if (packed.code !== 0) throw new Error(`npm pack: ${packed.stderr}`);
  const unpacked = await run("tar", ["-xzf", join(folder, packed.stdout.trim()), "-C", folder], folder);
  if (unpacked.code !== 0) throw new Error(`tar: ${unpacked.stderr}`);
  renameSync(join(folder, "package"), join(modules, "lamp-eval"));
  for (const name of wanted()) link(name, modules);
  try {
    renameSync(folder, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** What an install of the package brings, and what a project in TypeScript has. */
function wanted(): string[] {
  const json = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as Record<string, object | undefined>;
  const brought = [json.dependencies, json.optionalDependencies].flatMap((list) => Object.keys(list ?? {}));
  return [...brought, "@types/node"];
}

function link(name: string, modules: string): void {
  const from = join(repository, "node_modules", name);
  if (!existsSync(from)) return;
  mkdirSync(dirname(join(modules, name)), { recursive: true });
  symlinkSync(from, join(modules, name), "junction");
}

async function run(file: string, args: readonly string[], cwd: string): Promise<Ended> {
  const env = { PATH: process.env.PATH };
  try {
    return { code: 0, ...(await promisify(execFile)(file, args, { cwd, env, maxBuffer: 1 << 26 })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (typeof code !== "number") throw error;
    return { code, stdout, stderr };
  }
}
