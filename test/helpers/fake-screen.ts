import { Writable } from "node:stream";

/** A terminal of so many columns and rows, with the few commands that a live display uses. */
export class FakeScreen extends Writable {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** Lines that have left the top of the terminal. */
  readonly scrolled: string[] = [];
  /** How often something was written behind the last column. */
  cut = 0;
  #lines: string[] = [""];
  #x = 0;
  #y = 0;

  constructor(columns: number, rows: number) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  /** What stands on it, without the empty lines at the end. */
  get shown(): readonly string[] {
    const lines = this.#lines.map((line) => line.trimEnd());
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  override write(chunk: unknown): boolean {
    for (const [, text, command, count, letter] of String(chunk).matchAll(PARTS)) {
      if (text !== undefined) this.#put(text);
      if (command !== undefined) this.#do(letter ?? "", Number(count === "" ? 1 : count));
    }
    return true;
  }

  #put(text: string): void {
    for (const sign of text) {
      if (sign === "\n") this.#newline();
      else if (this.#x >= this.columns) this.cut += 1;
      else {
        const line = this.#lines[this.#y] ?? "";
        this.#lines[this.#y] = line.padEnd(this.#x).slice(0, this.#x) + sign + line.slice(this.#x + 1);
        this.#x += 1;
      }
    }
  }

  #newline(): void {
    this.#x = 0;
    this.#y += 1;
    if (this.#y >= this.#lines.length) this.#lines.push("");
    for (; this.#lines.length > this.rows; this.#y -= 1) this.scrolled.push(this.#lines.shift() ?? "");
  }

  #do(letter: string, count: number): void {
    if (letter === "A") this.#y = Math.max(0, this.#y - count);
    if (letter === "G") this.#x = count - 1;
    if (letter === "K") this.#lines[this.#y] = (this.#lines[this.#y] ?? "").slice(0, this.#x);
    if (letter === "J")
      this.#lines = this.#lines.slice(0, this.#y).concat((this.#lines[this.#y] ?? "").slice(0, this.#x));
  }
}

/** Text, or `ESC [ n X`. */
const PARTS = /([^\x1b]+)|(\x1b\[\??(\d*)([A-Za-z]))/g;
