/** A text without the byte order marks that some editors put before it, one before the other. */
export const withoutMark = (text: string): string => text.replace(/^\uFEFF+/, "");
