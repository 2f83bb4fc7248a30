import type { PageChunk, PageTranscript } from "./data.js";

/** Cuts the texts of transcripts into sentences and lines, and stores each that occurs twice once. */
export function packChunk(transcripts: readonly PageTranscript[]): PageChunk {
  const counts = new Map<string, number>();
  for (const { groups } of transcripts)
    for (const [, text = ""] of groups.flat())
      for (const sentence of sentencesOf(text)) counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
  const numbers = new Map<string, number>();
  const numberOf = (piece: string): number => {
    const number = numbers.get(piece) ?? numbers.size;
    numbers.set(piece, number);
    return number;
  };
  const encoded = transcripts.map(({ cost, groups }) => ({
    cost,
    groups: groups.map((group) =>
      group.map(([title, text]) => {
        const pieces = text === undefined ? [] : joined(sentencesOf(text), counts);
        return [title, ...pieces].map(numberOf);
      }),
    ),
  }));
  return { pieces: [...numbers.keys()], transcripts: encoded };
}

/** Returns lines and sentences, each with the spaces behind it; of an empty text itself. */
function sentencesOf(text: string): string[] {
  const found = text.match(/[^\n.!?]*(?:[\n.!?]+\s*|$)/g) ?? []; // the last one is empty
  return found.length > 1 ? found.slice(0, -1) : [text];
}

/** Joins neighbouring sentences that occur nowhere else. */
function joined(sentences: readonly string[], counts: ReadonlyMap<string, number>): string[] {
  const pieces: string[] = [];
  let isSingle = false;
  for (const sentence of sentences) {
    const isRepeated = (counts.get(sentence) ?? 0) > 1;
    if (isSingle && !isRepeated) pieces[pieces.length - 1] += sentence;
    else pieces.push(sentence);
    isSingle = !isRepeated;
  }
  return pieces;
}

/** Returns the transcript of a number within its chunk. */
export function transcriptIn({ pieces, transcripts }: PageChunk, number: number): PageTranscript {
  const { cost, groups } = transcripts[number] ?? { cost: "", groups: [] };
  const textOf = (piece: number): string => pieces[piece] ?? "";
  return {
    cost,
    groups: groups.map((group) =>
      group.map(([title = 0, ...text]): readonly [string, string?] =>
        text.length === 0 ? [textOf(title)] : [textOf(title), text.map(textOf).join("")],
      ),
    ),
  };
}
