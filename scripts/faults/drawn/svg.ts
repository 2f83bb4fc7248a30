import { renderSvg as draw } from "../../../src/report/charts/svg.js";
import { kept } from "./kept.js";

export { inlineSvg } from "../../../src/report/charts/svg.js";

/** Equal specifications give equal bytes: each is drawn once a process. */
export const renderSvg = kept(draw);
