import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { allOptions } from "../../src/plan/options.js";
import { runFiles } from "../../src/record/rows.js";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const text = (path: string): string => readFileSync(join(root, path), "utf8");
const doc = (name: string): string => text(`docs/${name}`);
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["datasets/README.md", "results/README.md"],
  ...namesUnder("docs").filter((name) => name.endsWith(".md")),
];

/** Files that others cite by section number, and those cited by heading. */
const numbered = ["METHODS", "DATA"] as const;
const fidelity = doc("FIDELITY.md");
/** What comes by --plugin is asked for nothing here. */
const BUILT_IN = "it is built in";
const sources = [...textsUnder("src"), ...textsUnder("scripts"), ...textsUnder("test"), ...textsUnder("docs")];

describe("docs/FIDELITY.md", () => {
  test.each(Object.keys(allOptions()))("names the option %s", (name) =>
    expect(
      [`\`${name}\``, `\`${name}=`].some((form) => fidelity.includes(form)),
      `${BUILT_IN}, so docs/FIDELITY.md must name the option \`${name}\``,
    ).toBe(true),
  );

  test.each(methods.names)("has the method %s", (name) =>
    expect(
      headings(fidelity).includes(name) || fidelity.includes(`\`${name}\``),
      `${BUILT_IN}, so docs/FIDELITY.md needs a heading "${name}" or a line of its table`,
    ).toBe(true),
  );
});

describe("docs/METHODS.md", () => {
  test.each(methods.names)("says how often %s calls the model", (name) => {
    const table = doc("METHODS.md").split("### 0.4")[1]?.split("\n## ")[0] ?? "";
    expect(
      table.includes(`\`${name}\``),
      `${BUILT_IN}, so the table 0.4 of docs/METHODS.md needs a line \`${name}\``,
    ).toBe(true);
  });
});

test.each(Object.values(runFiles))("results/README.md says what %s holds", (name) =>
  expect(text("results/README.md")).toContain(`\`${name}`),
);

describe("references to documents", () => {
  test.each(numbered)("every cited section of %s is there", (name) => {
    const known = new Set(
      headings(doc(`${name}.md`)).flatMap((title) => /^(\d+(?:\.\d+)?)\.? /.exec(title)?.[1] ?? []),
    );
    const cited = sources.flatMap(({ file, text }) =>
      sectionsCited(name, text).map((section) => ({ file, section: `${name} ${section}`, known: known.has(section) })),
    );
    expect(cited.length).toBeGreaterThan(0);
    expect(cited.filter((reference) => !reference.known)).toEqual([]);
  });

  test("every heading cited as docs/NAME.md, Heading is there", () => {
    const cited = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/docs\/([A-Z]+\.md), ([A-Z][a-z]+)/g)].map(([, name = "", heading = ""]) => ({
        file,
        cited: `${name}, ${heading}`,
        known: existsSync(join(root, "docs", name)) && headings(doc(name)).includes(heading),
      })),
    );
    expect(cited.length).toBeGreaterThan(0);
    expect(cited.filter((reference) => !reference.known)).toEqual([]);
  });

  test("links between documents lead to a file and a heading", () => {
    expect(pages.length).toBeGreaterThan(15);
    expect(pages.flatMap(linksOf).filter(({ page, target }) => !leadsSomewhere(page, target))).toEqual([]);
  });

  test("links of the pages that are packed lead to files that are packed too", () => {
    const packed = new Set(packedFiles());
    const links = [...packed].filter((path) => path.endsWith(".md")).flatMap(linksOf);
    const lost = links.filter(({ page, target }) => {
      const path = relative(root, resolve(root, dirname(page), target.split("#")[0] ?? ""))
        .split(sep)
        .join("/");
      return !target.startsWith("#") && !packed.has(path) && ![...packed].some((file) => file.startsWith(`${path}/`));
    });
    expect(links.length).toBeGreaterThan(30);
    expect(lost).toEqual([]);
  });

  test("files of this repository that a page names are there", () => {
    const named = pages
      .filter((page) => page !== "CHANGELOG.md")
      .flatMap((page) =>
        [...withoutCode(text(page)).matchAll(/`((?:src|test|scripts|configs|docs|results|datasets)\/[\w./-]+)`/g)].map(
          ([, path = ""]) => ({ page, path }),
        ),
      )
      .filter(
        ({ path }) => !/\/x(\/|\.|$)/.test(path) && !path.startsWith("results/") && !path.startsWith("datasets/lamp"),
      );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("a reference that leads nowhere is noticed", () => {
    expect(sectionsCited("METHODS", "(METHODS 0.2, 8.3; see METHODS 6.1-6.2) WORMETHODS 7")).toEqual([
      "0.2",
      "8.3",
      "6.1",
      "6.2",
    ]);
    expect(headings("# A\n\n### 5.1 B\n\n```\n# no heading\n```\n")).toEqual(["A", "5.1 B"]);
    expect(leadsSomewhere("docs/METHODS.md", "FIDELITY.md#no-such-heading")).toBe(false);
    expect(leadsSomewhere("docs/METHODS.md", "NOWHERE.md")).toBe(false);
  });
});

/** The section numbers behind a document's name: `NAME 5.1, 5.2`, `NAME 6.1-6.2`, `NAME 4 and 6`. */
function sectionsCited(name: string, text: string): string[] {
  const pattern = new RegExp(`(?<![A-Z])${name} (\\d+(?:\\.\\d+)?(?:(?:, | and |-)\\d+(?:\\.\\d+)?)*)`, "g");
  return [...text.matchAll(pattern)].flatMap(([, numbers = ""]) => numbers.split(/, | and |-/));
}

/** What `npm pack` puts into the package. */
function packedFiles(): string[] {
  const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

/** Links to files of this repository. */
function linksOf(page: string): { readonly page: string; readonly target: string }[] {
  return [...withoutCode(text(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => ({ page, target }))
    .filter(({ target }) => !/^https?:/.test(target));
}

function headings(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/^#{1,4} (.+)$/gm)].map(([, title = ""]) => title.trim());
}

/** Without fenced blocks: what looks like a heading or a link there is none. */
function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, "");
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? join(root, page) : resolve(root, dirname(page), path);
  if (!existsSync(file)) return false;
  return anchor === undefined || headings(readFileSync(file, "utf8")).map(anchorOf).includes(anchor);
}

/** The anchor that GitHub gives a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

function namesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|js|md)$/.test(name))
    .map((name) => `${folder}/${name.split(sep).join("/")}`);
}

/** This file itself holds made-up references. */
function textsUnder(folder: string): { readonly file: string; readonly text: string }[] {
  return namesUnder(folder)
    .filter((file) => file !== "test/docs/pages.test.ts")
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
}
