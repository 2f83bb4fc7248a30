import { CITATION_LABELS, MOVIE_LABELS, NEWS_LABELS } from "../official-labels.js";
import { labelScorer, ratingScorer } from "./scorers.js";
import { script } from "./script.js";

/** OPPU's copy of the script. It splits LaMP_2 into LaMP_2N and LaMP_2M, so a plain LaMP_2 is scored as ROUGE. */
export const oppu = script({
  name: "oppu",
  summary: "OPPU's eval_task.py, exactly: LaMP_1, LaMP_2N, LaMP_2M, LaMP_3, all else ROUGE",
  source: "TamSiuhin/OPPU eval/evaluation.py @9fb3f46",
  dispatch: {
    LaMP_1: labelScorer(CITATION_LABELS),
    LaMP_2N: labelScorer(NEWS_LABELS),
    LaMP_2M: labelScorer(MOVIE_LABELS),
    LaMP_3: ratingScorer,
  },
});
