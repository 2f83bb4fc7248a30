import { registry } from "../../registry/registry.js";
import { longlamp } from "./longlamp.js";
import { official } from "./official.js";
import { oppu } from "./oppu.js";
import { personachat } from "./personachat.js";
import { personamem } from "./personamem.js";
import { rows } from "./rows.js";

/** All forms of data files, in the order in which they are looked for. */
export const dataFormats = registry("data format", [official, longlamp, oppu, personachat, rows, personamem]);
