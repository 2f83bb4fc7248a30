import { basename } from "node:path";
import type { RunPlan } from "./manifest.js";

/** A plan as others may read it: no server address, and of folders and files on this machine only the last name. */
export function portablePlan({ baseUrl: _, endpoints: __, ...plan }: RunPlan): RunPlan {
  return withoutFolders(plan) as Omit<RunPlan, "baseUrl" | "endpoints">; // same keys, same types: only texts are shortened
}

/** A text that is a path or an address, shortened: `/home/me/pages.json`, `C:\me\pages.json`, `onnx//home/me/model`, `http://me:key@host/v1`. */
export function withoutFolder(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return "(an address)";
  const path = /^([\w-]+\/)?((?:\/|[A-Za-z]:[\\/]|\\\\).+)$/.exec(text);
  return path === null ? text : `${path[1] ?? ""}${basename((path[2] ?? "").replaceAll("\\", "/"))}`;
}

function withoutFolders(value: unknown): unknown {
  if (typeof value === "string") return withoutFolder(value);
  if (Array.isArray(value)) return value.map(withoutFolders);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutFolders(part)]));
}
