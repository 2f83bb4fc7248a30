import { toPdf as draw } from "../../../src/app/report/pdf.js";
import { kept } from "./kept.js";

/** Equal drawings give equal pages: each is made once a process. */
export const toPdf = kept((svg: string) => draw(svg));
