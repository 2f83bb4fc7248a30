/** Of a terminal, in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What a live region is drawn on: a terminal. Its size is read again for every frame. */
export type Screen = NodeJS.WritableStream & Size;
