/** What the disk refused to a use case, as one line for a person. */
export { fileErrorOf } from "../../disk/file-error.js";
