import { registry } from "../../registry.js";
import * as all from "./all.js";

/** All forms of data files, in the order in which they are looked for. */
export const dataFormats = registry("data format", Object.values(all));
