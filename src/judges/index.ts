import { registry } from "../registry/registry.js";
import type { Judge } from "../types/index.js";
import { aspects } from "./aspects.js";
import { betterReply } from "./better-reply.js";
import { dialogueScore } from "./dialogue-score.js";
import { profilePair } from "./profile-pair.js";

const list: readonly Judge[] = [aspects, betterReply, dialogueScore, profilePair];

/** Every way of judging, by the name typed on the command line. */
export const judges = registry("judge", list);
