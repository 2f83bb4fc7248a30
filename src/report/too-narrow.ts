/**
 * Said wherever an interval of the difference of two arms is printed: there it held the truth in far fewer than 95 % of samples
 * (docs/STATISTICS.md).
 */
export const TOO_NARROW = "too narrow where few users or answers make the difference";
