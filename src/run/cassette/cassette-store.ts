import type { ModelReply } from "../../types.js";
import { ResponseStore } from "../stores/response-store.js";
import type { Cassette } from "./cassette.js";

/** A run's response store that looks into a cassette for what it lacks, and keeps what it found there. */
export class CassetteStore extends ResponseStore {
  readonly #cassette: Cassette;

  constructor(path: string, cassette: Cassette) {
    super(path);
    this.#cassette = cassette;
  }

  override get(key: string): ModelReply | undefined {
    const kept = super.get(key);
    if (kept !== undefined) return kept;
    const recorded = this.#cassette.call(key);
    if (recorded !== undefined) this.put(key, recorded.request, recorded.reply);
    return recorded?.reply;
  }
}
