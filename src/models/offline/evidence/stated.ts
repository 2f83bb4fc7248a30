import { between } from "../../../text/scan.js";
import type { Reader } from "./evidence.js";

/** What a summary says about the user's labels: the usual ones, counts, shares and words that go with a label. */
export const stated: Reader = (text, labelOf, found) =>
  text
    .split("\n")
    .filter((line) => !readLine(line, labelOf, found))
    .join("\n");

/** Characters of a label with its count. */
const LONGEST_COUNT = 400;

type Line =
  Parameters<Reader> extends [string, infer L, infer F] ? (line: string, labelOf: L, found: F) => boolean : never;

const readLine: Line = (line, labelOf, found) => {
  const read = [rule, usual, counts].map((reader) => reader(line, labelOf, found));
  return read.includes(true);
};

const usual: Line = (line, labelOf, found) => {
  let read = false;
  for (const match of line.matchAll(
    /\bmost (?:popular|common|frequent|often) ([^:\n]{0,30}):\s*["'“]?([^"'”,.;\n]+)/gi,
  )) {
    const label = labelOf(match[2] ?? "");
    if (label === undefined) continue;
    found.usual.push({ label, of: (match[1] ?? "").toLowerCase() });
    read = true;
  }
  return read;
};

const counts: Line = (line, labelOf, found) => {
  const match =
    /\b(?:counts?|distribution|frequenc(?:y|ies)|shares?|preferences?|habits?)\b[^:\n]{0,60}:\s*(.+)$/i.exec(line);
  if (match === null) return false;
  let read = false;
  for (const piece of (match[1] ?? "").split(/[,;]\s*|\.\s|\.$/)) {
    if (piece.length > LONGEST_COUNT) continue;
    const pair = /^(.+?)["'”]?\s*[:=x×(]*\s*(\d+(?:\.\d+)?)\s*%?\s*\)?(?:\s*(?:times|items|of \d+))?$/i.exec(
      piece.trim(),
    );
    const label = pair === null ? undefined : labelOf(pair[1] ?? "");
    if (pair === null || label === undefined) continue;
    found.counts.set(label, (found.counts.get(label) ?? 0) + Number(pair[2]));
    read = true;
  }
  return read;
};

/** The forms in which this model itself writes rules (summaries, critiques, personas). */
const rule: Line = (line, labelOf, found) => {
  const typical = /typical words of ["“]([^"“”]+)["”]:\s*(.+?)\.?$/i.exec(line);
  const would = between(line, [
    /when the text mentions /gi,
    /,? the user would (?:choose|answer) ["“](?=[^"”])/gi,
    /["”]/g,
  ])?.parts;
  const label = labelOf(typical?.[1] ?? would?.[1] ?? "");
  const listed = typical?.[2] ?? would?.[0];
  if (label === undefined || listed === undefined) return false;
  found.rules.push({ label, words: listed.split(/,\s*/) });
  return true;
};
