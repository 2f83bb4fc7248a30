import type { PackedRun, PackedTranscript } from "../packed.js";

type ChunkKind = "answer" | "unit";

export interface Chunks {
  /** The transcript of an answer, or of the preparation of a unit. */
  transcript(kind: ChunkKind, index: number): Promise<PackedTranscript | undefined>;
  /** Marks the answers whose transcript holds the text; undefined once `wanted` says no. */
  search(text: string, wanted: () => boolean): Promise<Uint8Array | undefined>;
}

const MOST_OPEN = 6;

/** Opens the compressed transcripts of the page, one chunk at a time, and keeps the last few open. */
export function chunksOf(run: PackedRun): Chunks {
  const open = new Map<string, Promise<readonly PackedTranscript[]>>();
  const starts = { answer: run.answerChunks, unit: run.unitChunks };
  const chunk = (kind: ChunkKind, index: number): Promise<readonly PackedTranscript[]> => {
    const id = `${kind}-chunk-${index}`;
    const opened = open.get(id) ?? inflate(id);
    open.delete(id);
    open.set(id, opened);
    if (open.size > MOST_OPEN) open.delete(open.keys().next().value ?? "");
    return opened;
  };
  return {
    async transcript(kind, index) {
      const at = starts[kind].findLastIndex((start) => start <= index);
      return at === -1 ? undefined : (await chunk(kind, at))[index - starts[kind][at]!];
    },
    async search(text, wanted) {
      const needle = text.trim().toLowerCase();
      const hits = new Uint8Array(run.question.length);
      for (const [c, start] of run.answerChunks.entries()) {
        const transcripts = await inflate(`answer-chunk-${c}`);
        if (!wanted()) return undefined;
        for (const [t, transcript] of transcripts.entries()) if (holds(transcript, needle)) hits[start + t] = 1;
      }
      return hits;
    },
  };
}

const holds = ({ groups }: PackedTranscript, needle: string): boolean =>
  groups.some((group) => group.some((texts) => texts.some((text) => text?.toLowerCase().includes(needle))));

async function inflate(id: string): Promise<readonly PackedTranscript[]> {
  if (document.readyState === "loading")
    await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true }));
  const packed = document.getElementById(id)?.textContent ?? "";
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
