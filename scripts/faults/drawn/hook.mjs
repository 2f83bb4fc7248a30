/** Modules that draw, by the end of their name, and what stands in for them: the same, with each drawing kept. */
const standIns = [
  [/\/charts\/svg\.js$/, "./svg.ts"],
  [/\/picture\.js$/, "./picture.ts"],
  [/\/pdf\.js$/, "./pdf.ts"],
];

export async function resolve(specifier, context, next) {
  const found = standIns.find(([name]) => name.test(`/${specifier}`) && !context.parentURL?.includes("/faults/drawn/"));
  return found === undefined ? next(specifier, context) : next(new URL(found[1], import.meta.url).href, context);
}
