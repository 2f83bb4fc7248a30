import { registry } from "../registry.js";
import type { Method } from "../types.js";
import * as all from "./all.js";

const list: readonly Method[] = Object.values(all);

/** Every method, by the name typed on the command line. */
export const methods = registry("method", list);
