/** How the official questions of each task open. Source: the questions files of LaMP. */
const OPENINGS: Readonly<Record<string, string>> = {
  lamp1: "For an author who has written the paper with the title",
  lamp2m: "Which tag does this movie relate to among the following tags?",
  lamp2n: "Which category does this article relate to among the following categories?",
  lamp3: "What is the score of the following review on a scale of 1 to 5?",
  lamp4: "Generate a headline for the following article:",
  lamp5: "Generate a title for the following abstract of a paper:",
  lamp7: "Paraphrase the following tweet without any explanation before or after it:",
};

/**
 * The task in whose official wording the question is asked, where that is another than `task`: without golds, and with
 * histories that hold enough, nothing else tells their files apart. Undefined for wordings of one's own, and for a task of one's own.
 */
export function foreignWording(input: string, task: string): string | undefined {
  const opening = OPENINGS[task];
  const text = input.trimStart();
  if (opening === undefined || text.startsWith(opening)) return undefined;
  return Object.keys(OPENINGS).find((name) => text.startsWith(OPENINGS[name] ?? ""));
}
