/** The part of a drawn text that its width depends on. */
export interface DrawnText {
  readonly fontSize?: number;
  /** Pixels at which a longer text is cut; absent or 0: none. */
  readonly limit?: number;
}

/**
 * Pixels that a text takes in Inter, by the classes of its letters: what a picture leaves free for labels must not depend
 * on the fonts, or on a canvas package, of the machine that draws it.
 */
export function textWidth({ fontSize = 11, limit = 0 }: DrawnText, text: unknown): number {
  let ems = 0;
  for (const letter of String(text ?? "")) ems += classes.find(({ letters }) => letters.test(letter))?.ems ?? 1;
  const width = Math.ceil(ems * fontSize);
  return limit > 0 ? Math.min(width, limit) : width;
}

const classes: readonly { readonly letters: RegExp; readonly ems: number }[] = [
  { letters: /[ijlI.,:;'|!`]/, ems: 0.29 },
  { letters: /[frt()[\]{}/\\ -]/, ems: 0.38 },
  { letters: /[mwMW@%]/, ems: 0.9 },
  { letters: /[A-Z&]/, ems: 0.71 },
  { letters: /[\u0000-\u024f]/, ems: 0.62 },
  { letters: /[\u0370-\u04ff]/, ems: 0.66 },
];
