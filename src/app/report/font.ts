import { fileURLToPath } from "node:url";

/** The file of the font that comes along: pictures look alike on every machine, also on one without fonts. */
export const INTER = fileURLToPath(new URL("../../../src/report/charts/fonts/Inter-Regular.otf", import.meta.url));

/**
 * Texts all of whose letters the font has (Latin but for phonetic letters, Greek, Cyrillic of living languages): to look through
 * the fonts of a machine takes longer than to draw.
 */
export const INTER_HAS =
  /^[\n -~\u00a0-\u0148\u014a-\u017f\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u0391-\u03a1\u03a3-\u03ce\u0400-\u045f\u0490-\u0493\u2010-\u2027\u2030-\u203a\u2212]*$/;
