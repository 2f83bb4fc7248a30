export { betterReply } from "./better-reply.js";
export { dialogueScore } from "./dialogue-score.js";
export { profilePair } from "./profile-pair.js";
