export { linguistic } from "./linguistic.js";
export { released } from "./released.js";
