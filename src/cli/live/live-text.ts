import cliProgress from "cli-progress";

/** Fields joined by a dot, on as many lines as they need; a field wider than the line is broken at blanks. */
export function flow(fields: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const piece of fields.flatMap((field) => pieces(field, columns))) {
    const last = lines.at(-1);
    const longer = last === undefined ? piece : `${last} · ${piece}`;
    if (last === undefined || longer.length > columns) lines.push(piece);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Broken at blanks; a longer word where the line ends. */
export function pieces(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > columns && line !== "") lines.push(line);
    line = longer.length > columns ? word : longer;
    for (; line.length > columns; line = line.slice(columns)) lines.push(line.slice(0, columns));
  }
  return [...lines, line];
}

/** How far something is, in so many characters. */
export const bar = (done: number, questions: number, width: number): string =>
  cliProgress.Format.BarFormat(questions === 0 ? 1 : Math.min(1, done / questions), {
    barsize: width,
    barCompleteString: "█".repeat(width),
    barIncompleteString: "░".repeat(width),
    barGlue: "",
  } as cliProgress.Options);
