import { groupBy } from "../../results/grouped.js";
import { type WinRates, winRates } from "../../results/judge-scores.js";
import type { Io } from "../../run/io.js";
import { readJudgements } from "../../run/judgements.js";
import { openRunFolder } from "../../run/stored-run.js";
import { countOf } from "../../text/count.js";
import { labelsOf } from "./choices.js";
import { labelOf } from "./labels.js";
import { armName } from "./material.js";

/** H3 of RUMS: what a judge said of one method's answers against another's. */
interface JudgedWins {
  readonly name: string;
  readonly against: string;
  /** `provider/model`; a simulated one says so. */
  readonly judge: string;
  readonly all: WinRates;
  /** Of the questions that people call personal, and of the others. */
  readonly personal: WinRates;
  readonly others: WinRates;
}

/** H3 of every judge with confidence that compared answers of a run (`judge --judge profile-pair --against METHOD`). Only reads. */
export function judgedWins(run: string, labels: string | undefined, io: Pick<Io, "cwd">): JudgedWins[] {
  const folder = openRunFolder(run, io.cwd);
  const known = labelsOf(labels, io.cwd);
  return readJudgements(folder.path).flatMap(({ facts, judgements }) => {
    const { against, model, simulated } = facts;
    if (against === undefined) return [];
    return [...groupBy(judgements, ({ cell }) => cell)].flatMap(([id, ofCell]): JudgedWins[] => {
      const cell = folder.cell(id);
      const all = winRates(ofCell);
      if (cell === undefined || all.kept === 0) return [];
      const ratesOf = (personal: boolean): WinRates =>
        winRates(ofCell.filter(({ question }) => labelOf(question, known)?.personal === personal));
      return [
        {
          name: armName(cell, folder.manifest.plan.cells),
          against,
          judge: `${model}${simulated ? " (SIMULATED)" : ""}`,
          all,
          personal: ratesOf(true),
          others: ratesOf(false),
        },
      ];
    });
  });
}

/** One block a comparison. */
export function renderWins(wins: readonly JudgedWins[]): string {
  const blocks = wins.map(({ name, against, judge, all, personal, others }) =>
    [
      `${name} against ${against}, judge ${judge}:`,
      `  H3   ${ratesText(all)}`,
      ...(personal.pairs + others.pairs === 0
        ? []
        : [`       personal: ${ratesText(personal)}`, `       others: ${ratesText(others)}`]),
    ].join("\n"),
  );
  return [...blocks, "net win rate: (wins - losses) / pairs, from -1 to 1"].join("\n\n");
}

const ratesText = ({ both, pairs, published, kept }: WinRates): string =>
  `net win rate ${shown(both)} over ${countOf(pairs, "pair")} in both orders; published rule (own reply first, confidence at the 70th percentile or above): ${shown(published)} over ${kept}`;

const shown = (rate: number | undefined): string => (rate === undefined ? "unknown" : rate.toFixed(3));
