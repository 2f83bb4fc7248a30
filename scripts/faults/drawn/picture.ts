import { toPng as draw } from "../../../src/app/report/picture.js";
import { kept } from "./kept.js";

export { refuseOtherPictures, writePicture } from "../../../src/app/report/picture.js";

/** Equal drawings give equal pictures: each is made once a process. */
export const toPng = kept((svg: string) => draw(svg));
