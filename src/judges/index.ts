import { registry } from "../registry.js";
import type { Judge } from "../types.js";
import * as all from "./all.js";

const list: readonly Judge[] = Object.values(all);

/** Every way of judging, by the name typed on the command line. */
export const judges = registry("judge", list);
