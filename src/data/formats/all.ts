export { official } from "./official.js";
export { oppu } from "./oppu.js";
export { personachat } from "./personachat.js";
