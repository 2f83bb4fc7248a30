/** The method that gains and significance marks count from where nothing else is asked for; a run without it has none. */
export const referenceMethod = "prompt";
