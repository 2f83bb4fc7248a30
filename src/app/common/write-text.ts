import { appendWhole, writeWhole } from "../../disk/whole-file.js";

/** Writes a file that is made to be handed on, and the folders that it stands in. Throws FileError where it cannot be written. */
export const writeText = (path: string, text: string): void => writeWhole(path, text, { shared: true });

/** The same, behind what the file holds. */
export const appendText = (path: string, text: string): void => appendWhole(path, text);
