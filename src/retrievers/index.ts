import { registry } from "../registry.js";
import * as all from "./all.js";

/** Every retriever, by the name typed on the command line. */
export const retrievers = registry("retriever", Object.values(all));
