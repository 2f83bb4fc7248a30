import type { PaperPart, PaperParts } from "./part.js";

const run = (config: string): string => `run --config configs/${config}.yaml --model PROVIDER/ID --out RUN`;
const RUN = run("rums-selection");
const UTILITY = run("rums-t6");
const REFERENCE = `${run("rums-fig4-6")} --set model.reference=PROVIDER/ID`;
const DECODING = run("rums-fig7-10");
const EVAL = "rums eval RUN --labels LABELS";
const JUDGE = "judge RUN --judge profile-pair --against select=none --model PROVIDER/JUDGE";

const not = (name: string, title: string, how: string): PaperPart => ({ name, title, state: "not", how });
const partly = (name: string, title: string, why: string, ...commands: string[]): PaperPart => ({
  name,
  title,
  state: "partly",
  how: `${commands.join(", then ")}: ${why}`,
});

const ONE_EACH = "one run a reference model; each needs a server that gives logprobs";
const FILTERS =
  "H1' and H2 of what is chosen behind each filter; what the filter itself lets through is in show, not scored";
const OVERLAP = "four models and people beside each other on questions and profiles that are not released";
const HUMANS = "the labels are people's: give them with --labels, the own sample has own ones";
const CLASSIFIER =
  "rows of RUMS-Binary and RUMS-Multi are DeBERTa models, which are not in this tool (rums-logreg is another)";

/** RUMS. */
export const rums: PaperParts = {
  paper: "rums",
  title: "Response-Aware User Memory Selection for LLM Personalization (RUMS)",
  parts: [
    not("rums/Fig1", "overview", "a drawing, which holds no measured value"),
    partly(
      "rums/Fig2a",
      "utilities of personalized and other inputs",
      "JS and KS of any questions with labels; the paper's 500 + 500 are the user's files (rums questions --limit 500)",
      RUN,
      EVAL,
    ),
    partly("rums/Fig2b", "H1', recall and specificity", HUMANS, RUN, EVAL),
    partly("rums/T1", "H2, precision, recall and F1 of items", `${HUMANS}; ${CLASSIFIER}`, RUN, EVAL),
    partly(
      "rums/T2",
      "H3, win rates",
      `a run of judge for each row of the table, in both orders and by the published rule; ${CLASSIFIER}`,
      RUN,
      JUDGE,
      EVAL,
    ),
    partly("rums/Fig3a", "items chosen on average", CLASSIFIER, RUN, EVAL),
    partly(
      "rums/Fig3b",
      "monthly cost",
      "tokens a question stand in the table; dollars are those of the list, not .01 per 1,000",
      RUN,
    ),
    partly("rums/Fig4-6", "base and instructed models, sizes, families", ONE_EACH, REFERENCE, EVAL),
    partly(
      "rums/Fig7",
      "greedy and sampled decoding",
      "H1 of rums.temperature=0, which is greedy, and .7",
      DECODING,
      EVAL,
    ),
    not("rums/Fig8", "entropy by place of the token", "OpenAssistant replies, which no run here asks for"),
    partly("rums/Fig9", "20 and 100 tokens", "H1 of each; the paper's questions are the user's files", DECODING, EVAL),
    partly(
      "rums/Fig10",
      "number of samples",
      "H1 of 1, 5 and 10 samples; the figure's own numbers are drawn, not said",
      DECODING,
      EVAL,
    ),
    partly(
      "rums/Fig11",
      "number of profiles",
      "utilities are averaged over the users that a question is asked for: --users N",
      run("rums-fig11"),
      EVAL,
    ),
    not("rums/T3", "win rates of items that people chose", "a study with people, which no program makes"),
    not("rums/Fig12-15", "utilities of items that RUMS-Models include", CLASSIFIER),
    not("rums/T4", "RUMS-Models against RUMS-Utility", CLASSIFIER),
    partly(
      "rums/T5",
      "gaps of subsets",
      "rums eval prints both gaps (A.4) of the chosen sets, over the subsets of five candidates; on own questions, and the paper does not say what normalizes the first",
      run("rums-t5"),
      EVAL,
      "show RUN --question QUESTION",
    ),
    partly(
      "rums/Fig16-23",
      "agreement by threshold",
      "H1' and H2 at five thresholds, and the best ones",
      UTILITY,
      EVAL,
      "rums calibrate RUN --labels LABELS",
    ),
    partly(
      "rums/Fig24",
      "a threshold for each user",
      "mean and deviation over users, with --json each; its 10 users of 200 questions are not released",
      UTILITY,
      "rums calibrate RUN --labels LABELS",
    ),
    partly("rums/T6", "items by threshold", "its five thresholds; utilities are of the model at hand", UTILITY, EVAL),
    partly("rums/T7", "examples", "any question of a run", RUN, "show RUN --question QUESTION"),
    partly("rums/T8", "items by data set", CLASSIFIER, RUN, EVAL),
    partly("rums/T9", "extra tokens", "tokens a question beside those of select=none", RUN),
    partly("rums/T10", "seconds", "the median of a question, on the machine and server at hand", RUN),
    not("rums/T11", "win rate by people", "a study with people, which no program makes"),
    partly("rums/T12", "H1 with Mistral (its lower caption is T13)", ONE_EACH, REFERENCE, EVAL),
    partly("rums/T13", "the lower caption of T12: Llama-7B and Mistral-7B, H1", ONE_EACH, REFERENCE, EVAL),
    partly("rums/T14", "H2 with Mistral (its lower caption is T15)", ONE_EACH, REFERENCE, EVAL),
    partly("rums/T15", "the lower caption of T14: Llama-7B and Mistral-7B, H2", ONE_EACH, REFERENCE, EVAL),
    partly("rums/T16", "models as filters (its lower caption is T17)", FILTERS, run("rums-t16"), EVAL),
    partly("rums/T17", "the lower caption of T16: models as filters beside people", FILTERS, run("rums-t16"), EVAL),
    not("rums/T18", "agreement of filters (its lower caption is T19)", OVERLAP),
    not("rums/T19", "the lower caption of T18: overlap of the ten items chosen most", OVERLAP),
    partly(
      "rums/T20",
      "win rates, synthetic data",
      `a run of judge for each row of the table; ${CLASSIFIER}`,
      RUN,
      JUDGE,
      EVAL,
    ),
    partly(
      "rums/T21",
      "win rates, real data",
      `a run of judge for each row of the table; ${CLASSIFIER}`,
      RUN,
      JUDGE,
      EVAL,
    ),
    not("rums/T22", "kinds of selection", "sorted by hand against four people"),
    not(
      "rums/T23",
      "thresholds of the similarity baseline",
      "ours takes the paper's rule of H2 and H3: a cosine above 0, at most 5",
    ),
    not("rums/T24", "sizes of models", "it counts parameters, and measures nothing"),
    partly("rums/T25", "items, personalized and not", `${HUMANS}; ${CLASSIFIER}`, RUN, EVAL),
    partly(
      "rums/Fig25",
      "monthly cost of tables 8 and 9",
      "tokens a question stand in the table, beside those of select=none; times 30 million questions, at .01 per 1,000, they are the bars",
      RUN,
    ),
    not("rums/Fig26-75", "values of the profiles", "the paper's 100 profiles are not released; give your own"),
  ],
  contradictions: [
    "Fig2b: 94.4 % is a share of 18, 92.3 % of 13 and 96.0 % of 25; its n are 20 and 31",
    '"+7 % recall, +15 % specificity" over GPT4-Few: the means of Fig2b differ by 4.9 and 20.2 points',
    "the reference model is Llama-3.1-8B, Llama-8B and Llama-7B; the filter keeps up to 10 (F.5) and up to 5 (A.11) items",
    "T1: F1 .53 with precision .48 and recall .36 is no F1 of these: means by sample, none against none being 1, can be",
    "T21, left: the column GPT-4, RUMS-Binary repeats LLaMA 70B, RUMS-Multi in six of seven rows",
    "the few-shot prompt of H1 asks for the capital of Austin, Texas",
    "neither the base of the logarithm nor the bins of the divergence are stated",
  ],
};
