import { Journal, readJournal, type SetAside } from "../journal/journal.js";

/** What a run's searches outside (Wikipedia) gave, each once, so that the run can be replayed without them. */
export class SearchLog {
  readonly #journal: Journal;
  readonly #known = new Set<string>();

  constructor(path: string) {
    for (const record of readJournal<object>(path)) this.#known.add(JSON.stringify(record));
    this.#journal = new Journal(path);
  }

  get damage(): readonly SetAside[] {
    return this.#journal.damage;
  }

  /** What earlier processes and this one have put there. */
  *found(): Generator<object> {
    for (const text of this.#known) yield JSON.parse(text);
  }

  put(search: object): void {
    const text = JSON.stringify(search);
    if (this.#known.has(text)) return;
    this.#known.add(text);
    this.#journal.append(search);
  }

  close(): void {
    this.#journal.close();
  }
}
