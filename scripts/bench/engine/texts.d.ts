export function question(i: number): string;
export function tag(i: number): string;
export function pastItems(i: number): { id: string; tag: string; description: string }[];
