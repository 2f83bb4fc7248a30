/** The texts of the bench: question `i` in the official wording of movie tagging, and the ten movies its user has tagged before. */
const TAGS =
  "sci-fi, based on a book, comedy, action, twist ending, dystopia, dark comedy, classic, psychology, fantasy, romance, thought-provoking, social commentary, violence, true story";
const tags = TAGS.split(", ");

const plot = (i) =>
  `Film ${i} follows a widowed baker and a reluctant ally through year ${(i * 7919) % 3001} of a long quarrel over a fence`;

export const question = (i) =>
  `Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. tags: [${TAGS}] description: ${plot(i)}, until the whole village has to choose a side.`;

export const tag = (i) => tags[(i * 31) % tags.length];

export const pastItems = (i) =>
  Array.from({ length: 10 }, (_, k) => ({ id: `${i}-${k}`, tag: tag(i + k), description: plot(i * 10 + k + 1) }));
