/** Bytes: no reply of a model, an embedder or Wikipedia has nearly as many. */
export const MOST_REPLY_BYTES = 64 * 1024 * 1024;

export const tooLong = (most: number): Error => new Error(`the reply has more than ${most / 1024 ** 2} MiB`);

/** The text of a reply. Throws Error, and reads no further, where it has more than `most` bytes once unpacked. */
export async function boundedText(response: Response, most = MOST_REPLY_BYTES): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > most) throw tooLong(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
