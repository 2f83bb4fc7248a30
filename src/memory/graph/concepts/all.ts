export { linguistic } from "./linguistic.js";
export { named } from "./named.js";
export { released } from "./released.js";
