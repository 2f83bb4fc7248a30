import type { PackedRows, PackedTranscript } from "../packed.js";

type ChunkKind = "row" | "unit";

export interface Chunks {
  /** The transcript of a row, or of the preparation of a unit. */
  transcript(kind: ChunkKind, index: number): Promise<PackedTranscript | undefined>;
  /** Marks the rows whose transcript holds the text; undefined once `wanted` says no. */
  search(text: string, wanted: () => boolean): Promise<Uint8Array | undefined>;
}

const MOST_OPEN = 6;

/** Opens the compressed transcripts of the page, one chunk at a time, and keeps the last few open. */
export function chunksOf(rows: PackedRows): Chunks {
  const open = new Map<string, Promise<readonly PackedTranscript[]>>();
  const starts = { row: rows.rowChunks, unit: rows.unitChunks };
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
      const place = kind === "row" ? (rows.transcript[index] ?? -1) : index;
      const at = starts[kind].findLastIndex((start) => start <= place);
      if (at === -1) return undefined;
      return (await chunk(kind, at))[place - starts[kind][at]!];
    },
    async search(text, wanted) {
      const needle = text.trim().toLowerCase();
      const [hits, places] = [new Uint8Array(rows.cell.length), new Uint32Array(rows.cell.length)];
      for (const [row, place] of rows.transcript.entries()) places[place] = row;
      for (const [c, start] of rows.rowChunks.entries()) {
        const transcripts = await inflate(`row-chunk-${c}`);
        if (!wanted()) return undefined;
        for (const [t, transcript] of transcripts.entries())
          if (holds(transcript, needle)) hits[places[start + t]!] = 1;
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
