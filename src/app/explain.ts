import { readFileSync } from "node:fs";
import { UsageError } from "../errors.js";
import { plannedIn } from "../registry/further-models.js";
import { readOptions } from "../registry/options.js";
import { suggest } from "../registry/registry.js";
import { PAST } from "../run/plan/asked-roles.js";
import type { CallRange, Method, Task } from "../types/index.js";
import { catalogueOf } from "./catalogue.js";
import { allOptions } from "./common/all-options.js";
import type { Io } from "./io.js";
import { type ListedOption, listedOptions, listKinds } from "./list.js";

/** A method, a task or an option, told to somebody who has not read the papers. */
export type Explained =
  | ({ readonly kind: "method" } & ExplainedMethod)
  | ({ readonly kind: "task" } & ExplainedTask)
  | ({ readonly kind: "option"; readonly usedBy: readonly string[] } & ListedOption);

export interface ExplainedMethod {
  readonly name: string;
  readonly summary: string;
  /** Paper and section. */
  readonly source: string;
  /** What it does, step by step, as docs/METHODS.md has it. Absent: the docs do not know it (a plug-in). */
  readonly steps?: string;
  /** Model calls by phase at its defaults; `perUser` is of a user with `pastEvents` events. */
  readonly calls: {
    readonly pastEvents: number;
    readonly perQuestion: CallRange;
    readonly perUser: CallRange;
    readonly perRun: CallRange;
  };
  /** Tools of the run that it calls, whether it needs a model that can call tools, and what it reads of other users. */
  readonly needs: readonly string[];
  readonly options: readonly ListedOption[];
  /** What each default rests on and where a source says nothing, as docs/FIDELITY.md has it. */
  readonly fidelity?: string;
}

interface ExplainedTask {
  readonly name: string;
  readonly title: string;
  readonly labels: readonly string[];
  readonly metrics: readonly string[];
  readonly maxAnswerTokens: number;
}

/** Finds a method, task or option by name. Throws UsageError where nothing has this name. */
export function explain(name: string, io: Pick<Io, "catalogue">): Explained {
  const catalogue = catalogueOf(io);
  const method = catalogue.methods.find(name);
  if (method !== undefined) return { kind: "method", ...explainedMethod(method) };
  const task = catalogue.tasks.find(name);
  if (task !== undefined) return { kind: "task", ...explainedTask(task) };
  const options = allOptions(catalogue);
  const [option] = listedOptions(options).filter((one) => one.name === name);
  if (option !== undefined) {
    const usedBy = catalogue.methods.all.filter((one) => Object.hasOwn(one.options, name)).map((one) => one.name);
    return { kind: "option", ...option, usedBy };
  }
  const known = [...listKinds, ...catalogue.methods.names, ...catalogue.tasks.names, ...Object.keys(options)];
  throw new UsageError(
    `list ${name}: no kind, method, task or option of this name${suggest(name, known)}; lamp-eval list prints all names`,
  );
}

/** A run whose one model does everything. */
const ALONE = { options: {} };

/** A past of ordinary length: calls per user of most methods do not depend on it. */
const PAST_EVENTS = 50;

function explainedMethod(method: Method): ExplainedMethod {
  const options = readOptions(method.options, {});
  const plan = method.plan(options);
  const steps = sectionOf("METHODS", method);
  const fidelity = sectionOf("FIDELITY", method);
  return {
    name: method.name,
    summary: method.summary,
    source: method.source,
    ...(steps === undefined ? {} : { steps }),
    calls: {
      pastEvents: PAST_EVENTS,
      perQuestion: plannedIn(plan.perQuestion(), ALONE),
      perUser: plannedIn(plan.perUnit(PAST.slice(0, PAST_EVENTS)), ALONE),
      perRun: plannedIn(plan.perCell?.() ?? {}, ALONE),
    },
    needs: needsOf(method),
    options: listedOptions(method.options),
    ...(fidelity === undefined ? {} : { fidelity }),
  };
}

/** Where it has no section of its own: that of the full method, or the one that its source names ("METHODS 11"). */
function sectionOf(page: "METHODS" | "FIDELITY", { name, ablates, source }: Method): string | undefined {
  const [, number] = /METHODS (\d+)/.exec(source) ?? [];
  const others = [ablates, page === "METHODS" ? number : undefined].filter((one) => one !== undefined);
  return [name, ...others].map((title) => docsSection(page, title)).find((section) => section !== undefined);
}

function needsOf(method: Method): string[] {
  const options = readOptions(method.options, {});
  const { tools, agent } = method.needs?.(options) ?? { tools: [], agent: false };
  const others = method.usesOthers?.(options) ?? false;
  return [
    ...(agent ? ["a model that can call tools, or answers in the text form of calls"] : []),
    ...tools.map((tool) => `tool ${tool}`),
    ...(others === false ? [] : [others === "labelled" ? "labelled events of other users" : "events of other users"]),
  ];
}

const explainedTask = ({ name, title, labels, metrics, maxAnswerTokens }: Task): ExplainedTask => ({
  name,
  title,
  labels,
  metrics: metrics.map((metric) => metric.name),
  maxAnswerTokens,
});

/** The part of a page of the docs under a heading of this title or number ("## 7. persona-agent"), its smaller headings included. */
function docsSection(page: "METHODS" | "FIDELITY", title: string): string | undefined {
  const lines = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), "utf8").split("\n");
  const start = lines.findIndex((line) => depthOf(line) > 0 && [headingOf(line), numberOf(line)].includes(title));
  if (start < 0) return undefined;
  const depth = depthOf(lines[start] ?? "");
  const length = lines.slice(start + 1).findIndex((line) => depthOf(line) > 0 && depthOf(line) <= depth);
  return lines
    .slice(start + 1, length < 0 ? undefined : start + 1 + length)
    .join("\n")
    .trim();
}

const depthOf = (line: string): number => /^(#{1,6}) /.exec(line)?.[1]?.length ?? 0;

const numberOf = (line: string): string | undefined => /^#+ ([\d.]*\d)\.? /.exec(line)?.[1];

/** Without marks and number. */
const headingOf = (line: string): string => line.replace(/^#+ (?:[\d.]+ )?/, "");
