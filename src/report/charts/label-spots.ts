/** Where a short label stands beside its dot: pixels from the dot's middle. */
export const labelSpots = {
  above: { dx: 0, dy: -12 },
  below: { dx: 0, dy: 14 },
  right: { dx: 13, dy: 1 },
  left: { dx: -13, dy: 1 },
  "far above": { dx: 0, dy: -25 },
  "far below": { dx: 0, dy: 27 },
  "far right": { dx: 26, dy: 1 },
  "far left": { dx: -26, dy: 1 },
} as const;

export type LabelSpot = keyof typeof labelSpots;

/** A dot, in pixels. */
interface Dot {
  readonly x: number;
  readonly y: number;
}

/**
 * For each dot, in their order, the first spot at which its label meets neither a dot, nor a label before, nor one of the points
 * of `lines`; where there is none, above.
 */
export function spotsOf(dots: readonly Dot[], lines: readonly Dot[] = []): LabelSpot[] {
  const taken: Dot[] = [...lines];
  return dots.map((dot) => {
    const free = spots.find((spot) => {
      const label = labelAt(dot, spot);
      return [...dots.filter((other) => other !== dot), ...taken].every((other) => isApart(label, other));
    });
    const spot = free ?? "above";
    taken.push(labelAt(dot, spot));
    return spot;
  });
}

const spots = Object.keys(labelSpots) as LabelSpot[];

/** Half of a label of two digits and of a dot together. */
const [WIDE, HIGH] = [13, 12];

const labelAt = ({ x, y }: Dot, spot: LabelSpot): Dot => ({
  x: x + labelSpots[spot].dx,
  y: y + labelSpots[spot].dy,
});

const isApart = (a: Dot, b: Dot): boolean => Math.abs(a.x - b.x) >= WIDE || Math.abs(a.y - b.y) >= HIGH;
