export { lamp } from "./lamp.js";
export { oppu } from "./oppu.js";
export { strict } from "./strict.js";
