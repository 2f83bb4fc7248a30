import type { Cell } from "./cell.js";
import { ciCells } from "./ci.js";
import { compareCells } from "./compare.js";
import { coverageCells } from "./coverage.js";
import { differenceCells } from "./differences.js";
import { labelCells } from "./labels.js";
import { lostCells } from "./lost.js";
import { farReadingCells, monotoneCells } from "./monotone.js";
import { plannerCells } from "./planner.js";
import { powerCells } from "./power.js";
import { ratingCells } from "./ratings.js";
import { reproduceCells } from "./reproduce.js";
import { setCells, struckCells } from "./set.js";
import { sharedNoiseCells } from "./shared-noise.js";
import { tableCells } from "./table.js";
import { userCells } from "./users.js";
import { verdictCells } from "./verdicts.js";

/** Every cell, always in this order: threads know a cell by its place. */
export const allCells = (): Cell[] => [
  ...compareCells(),
  ...coverageCells(),
  ...plannerCells(),
  ...labelCells(),
  ...ratingCells(),
  ...sharedNoiseCells(),
  ...monotoneCells(),
  ...reproduceCells(),
  ...ciCells(),
  ...setCells(),
  ...tableCells(),
  ...userCells(),
  ...farReadingCells(),
  ...struckCells(),
  ...verdictCells(),
  ...lostCells(),
  ...differenceCells(),
  ...powerCells(),
];
