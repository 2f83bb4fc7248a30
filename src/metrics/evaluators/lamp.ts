import { CITATION_LABELS, MOVIE_LABELS } from "../official-labels.js";
import { labelScorer, ratingScorer } from "./scorers.js";
import { script } from "./script.js";

/** LaMP's own script. It knows LaMP_2 as the movie task only. */
export const lamp = script({
  name: "lamp",
  summary: "LaMP's eval_task.py, exactly: LaMP_1, LaMP_2 (movies), LaMP_3, all else ROUGE",
  source: "LaMP-Benchmark/LaMP eval/evaluation.py @38c9d4d",
  dispatch: {
    LaMP_1: labelScorer(CITATION_LABELS),
    LaMP_2: labelScorer(MOVIE_LABELS),
    LaMP_3: ratingScorer,
  },
});
