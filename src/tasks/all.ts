export { homeCommands } from "./home-commands.js";
export { lamp1 } from "./lamp1.js";
export { lamp2m } from "./lamp2m.js";
export { lamp2n } from "./lamp2n.js";
export { lamp3 } from "./lamp3.js";
export { lamp4 } from "./lamp4.js";
export { lamp5 } from "./lamp5.js";
export { lamp7 } from "./lamp7.js";
