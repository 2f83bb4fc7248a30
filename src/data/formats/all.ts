export { official } from "./official.js";
export { oppu } from "./oppu.js";
