/** Where a short label stands beside its dot: pixels from the dot's middle. */
export const labelPlaces = {
  above: { dx: 0, dy: -12 },
  below: { dx: 0, dy: 14 },
  right: { dx: 13, dy: 1 },
  left: { dx: -13, dy: 1 },
  "far above": { dx: 0, dy: -25 },
  "far below": { dx: 0, dy: 27 },
  "far right": { dx: 26, dy: 1 },
  "far left": { dx: -26, dy: 1 },
} as const;

export type LabelPlace = keyof typeof labelPlaces;

/** A dot, in pixels. */
interface Dot {
  readonly x: number;
  readonly y: number;
}

/**
 * For each dot, in their order, the first place at which its label meets neither a dot, nor a label placed before, nor one of the points
 * of `lines`; where there is none, above.
 */
export function placeLabels(dots: readonly Dot[], lines: readonly Dot[] = []): LabelPlace[] {
  const taken: Dot[] = [...lines];
  return dots.map((dot) => {
    const free = places.find((place) => {
      const label = labelAt(dot, place);
      return [...dots.filter((other) => other !== dot), ...taken].every((other) => isApart(label, other));
    });
    const place = free ?? "above";
    taken.push(labelAt(dot, place));
    return place;
  });
}

// --- internal ---

const places = Object.keys(labelPlaces) as LabelPlace[];

/** Half of a label of two digits and of a dot together. */
const [WIDE, HIGH] = [13, 12];

const labelAt = ({ x, y }: Dot, place: LabelPlace): Dot => ({
  x: x + labelPlaces[place].dx,
  y: y + labelPlaces[place].dy,
});

const isApart = (a: Dot, b: Dot): boolean => Math.abs(a.x - b.x) >= WIDE || Math.abs(a.y - b.y) >= HIGH;
