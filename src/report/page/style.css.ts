import { colors, pageStyle } from "../charts/svg.js";
import { answersStyle } from "./answers-style.css.js";

const both = (pick: keyof Omit<(typeof colors)["light"], "series">): string =>
  `light-dark(${colors.light[pick]}, ${colors.dark[pick]})`;

/** The page's style sheet. Colors of text reach 4.5:1 on their backgrounds in both themes, those of charts 3:1. */
export const style = `
:root {
  color-scheme: light dark;
  --page: ${both("background")}; --panel: ${both("panel")};
  --ink: ${both("ink")}; --soft: ${both("muted")};
  --line: light-dark(#dde1e7, #333944); --edge: light-dark(#7b8494, #7d8696);
  --link: light-dark(#0a58b8, #7db4ff); --hue: light-dark(#0a66b0, #58a9ee);
  --tint: light-dark(#e3eeff, #22344f); --none: light-dark(#5b6472, #98a2b3);
  --up: light-dark(#0b7a55, #4cc795); --down: light-dark(#c0392b, #ff8577);
  --right: light-dark(#c9ecd9, #14432f); --right-ink: light-dark(#0b5136, #8be3b9);
  --wrong: light-dark(#fde7e2, #43211d); --wrong-ink: light-dark(#9a2a1d, #ffb3a8);
  --unparsed: light-dark(#fcebb6, #463507); --unparsed-ink: light-dark(#6b4700, #f6cf74);
  --failed: light-dark(#e6e0f7, #342b58); --failed-ink: light-dark(#4c3a91, #cabfff);
  --banner: light-dark(#fff3d6, #352b13); --warn: light-dark(#8a5200, #f0b95a);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body {
  margin: 0; background: var(--page); color: var(--ink); font: 14px/1.45 system-ui, "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
main, .top, footer { padding-inline: max(1.5rem, (100vw - 1700px) / 2); }
h1 { font-size: 1.15rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 0 0 .75rem; }
h3, h4 { font-size: 1rem; margin: 0 0 .3rem; }
#report > section + section { margin-top: 1.5rem; border-top: 1px solid var(--line); padding-top: .9rem; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
small, .facts, .details, .note, figcaption span, .status, footer, dt { color: var(--soft); font-size: .86em; }
small small { font-size: 1em; }
button, select, input {
  font: inherit; color: var(--ink); background: var(--page); border: 1px solid var(--edge); border-radius: 5px;
  padding: .2rem .5rem; min-height: 28px;
}
button:hover, tr:hover > th[scope="row"], [aria-pressed="true"] { background: var(--tint); }
.hidden {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}

.top {
  position: sticky; top: 0; z-index: 5; display: flex; flex-wrap: wrap; gap: .2rem 1.25rem;
  align-items: baseline; justify-content: space-between; background: var(--page);
  border-bottom: 1px solid var(--line); padding-block: .55rem;
}
nav { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; }
nav a { text-decoration: none; padding: .15rem 0; border-bottom: 2px solid transparent; }
nav a:hover { border-color: var(--link); }
.facts { margin: .55rem 0 .4rem; }
.to-answers { border: 1px solid var(--link); border-radius: 99px; padding-inline: .7rem; }
.to-answers[aria-current="page"] { background: var(--tint); }
.banner {
  background: var(--banner); border-left: 4px solid var(--warn); padding: .3rem .75rem; margin: .5rem 0;
}
.details { margin: 0 0 .5rem; font-size: .95rem; }
.note { margin: .4rem 0 0; }
.note + h3 { margin-top: 1rem; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1.25rem 2.5rem; align-items: start; }
.pair > *, .single > * { min-width: 0; }
figure { margin: 0; }
figure + figure { margin-top: 1.25rem; }
.pair > figure + figure { margin-top: 0; }
figcaption { margin-bottom: .5rem; }
dl {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: .5rem 2rem;
  margin: 1rem 0 0;
}
dd { margin: 0; }
pre { background: var(--panel); padding: .5rem .7rem; margin: 0; font-size: .8rem; white-space: pre-wrap; }
footer { padding-block: 1.5rem; }
#report { padding-bottom: 1rem; }

.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); gap: 1rem; }
figure svg { display: block; width: 100%; height: auto; max-width: calc(var(--natural) * 1.2); }
.scroll svg { min-width: calc(var(--natural) * .85); }
.narrow { display: none; }
.says { font-size: 1.3rem; font-weight: 400; margin: .6rem 0 0; }
ul.note { padding-left: 1.1rem; }
th.text, td.text { text-align: left; }
.block h2 { font-size: 1.15rem; }
[hidden] { display: none !important; }
${pageStyle}

table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td {
  text-align: right; padding: .25rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap;
  font-weight: 400;
}
thead th { color: var(--soft); font-size: .86em; vertical-align: bottom; background: var(--page); }
th:first-child { text-align: left; }
.scroller { position: relative; }
.scroll { overflow-x: auto; position: relative; }
.scroll.tall { max-height: 39rem; overflow-y: auto; }
.tall thead th { position: sticky; top: 0; z-index: 2; }
.scroll th:first-child { position: sticky; left: 0; background: var(--page); z-index: 1; }
.tall thead th:first-child { z-index: 3; }
.cue { display: none; margin: 0; text-align: right; color: var(--soft); font-size: .86em; }
.more > .cue { display: block; }
.more::after {
  content: ""; position: absolute; inset: 0 0 1.4rem auto; width: 1.4rem; pointer-events: none;
  background: linear-gradient(to right, transparent, var(--page));
}
.results { width: 100%; }
.results .plot {
  position: relative; width: 21%; min-width: 9rem; padding: 0; border-inline: 1rem solid transparent;
}
.results td.plot {
  background: linear-gradient(to left, var(--line) 1px, transparent 1px) padding-box, linear-gradient(to right, var(--line) 1px, transparent 1px) 0 0 / calc(100% / var(--steps)) 100% padding-box;
}
td.score::before {
  content: ""; position: absolute; top: 0; bottom: 0; left: var(--base); border-left: 1px dashed var(--edge);
}
td.gain::before {
  content: ""; position: absolute; top: 0; bottom: 0; left: var(--zero); border-left: 1px solid var(--edge);
}
.tick { position: absolute; bottom: .2rem; transform: translateX(-50%); }
.ci::before {
  content: ""; position: absolute; top: calc(50% - 1px); height: 2px; left: var(--a);
  width: calc(var(--b) - var(--a)); background: currentColor;
}
.ci::after {
  content: ""; position: absolute; top: calc(50% - 4.5px); left: calc(var(--x) - 4.5px); width: 9px;
  height: 9px; border-radius: 50%; background: currentColor;
}
.ci { color: var(--none); }
.ci.up, .up { color: var(--up); }
.ci.down, .down { color: var(--down); }
.score .ci { color: var(--hue); }
.baseline .score .ci { color: var(--none); }
.star { display: inline-block; width: .6em; text-align: left; }
.baseline { color: var(--soft); }
.warn { color: var(--warn); }
.problems {
  border: 1px solid var(--warn); border-left-width: 4px; padding: .5rem .9rem; margin: .3rem 0 1rem;
}
.problems ul { margin: 0; padding: 0; list-style: none; }
.problems li { margin: .3rem 0; }
.problems small { display: block; }
.tag { font-weight: 500; border-radius: 4px; padding: 0 .4rem; }

.pairs, .heat {
  --first: 10.5rem; --column: 3.7rem; width: 100%; table-layout: fixed;
  min-width: calc(var(--first) + var(--columns) * var(--column));
}
.pairs th:first-child, .heat th:first-child { width: var(--first); padding-left: 0; }
.pairs thead th { text-align: center; white-space: normal; padding-inline: .2rem; }
.pairs thead th:first-child { text-align: left; }
.pairs td { padding: 1px; text-align: center; min-width: 3.6rem; }
.pairs button {
  width: 100%; border: 0; border-radius: 3px; padding: .15rem 0; line-height: 1.2; background: none;
}
.pairs button small { display: block; }
.pairs button.sure { background: var(--tint); font-weight: 600; }
.pairs button.equal { color: var(--soft); }
.pairs button:hover, .pairs button[aria-pressed="true"] { outline: 2px solid var(--link); }
.pair-says { margin: .5rem 0 0; min-height: 2.9em; }
.bars { width: 100%; }
.bars th { border: 0; padding-left: 0; }
.bars td { border: 0; width: 80%; padding: .15rem 0; }
.stack { display: flex; gap: 2px; }
.stack > span { min-width: 1.3rem; text-align: center; border-radius: 2px; font-size: .86em; }
.stack .up, .swatch.up, .m.right, .tag.right { background: var(--right); color: var(--right-ink); }
.stack .down, .swatch.down, .m.wrong, .tag.wrong { background: var(--wrong); color: var(--wrong-ink); }
.stack .same, .swatch.same { background: var(--line); color: var(--ink); }
.m.unparsed, .tag.unparsed { background: var(--unparsed); color: var(--unparsed-ink); }
.m.failed, .tag.failed { background: var(--failed); color: var(--failed-ink); }
.m.score { background: color-mix(in srgb, var(--hue) calc(var(--s) * .3), var(--page)); }
.swatch { display: inline-block; width: 1em; height: 1em; vertical-align: -.15em; border-radius: 2px; }
.heat { --first: 9rem; --column: 3.7rem; }
.heat th { border-color: transparent; }
.heat td {
  text-align: center; padding-inline: .3rem;
  background: color-mix(in srgb, var(--right) var(--s, 0%), var(--page)); border: 1px solid var(--page);
}
.heat td.plain { background: none; }
.heat thead th:not(:first-child) { text-align: center; padding-inline: .2rem; white-space: normal; }

${answersStyle}
@media (max-width: 1199px) {
  .pair, .single { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 1099px) {
  .results td.score, .results .key + .plot { display: none; }
}
@media (max-width: 699px) {
  body { font-size: 15px; }
  .says { font-size: 1.15rem; }
  .wide { display: none; }
  .narrow { display: block; }
  main, .top, footer { padding-inline: 1rem; }
  .top { position: static; }
  th, td { padding-inline: .4rem; }
  dl { grid-template-columns: 1fr; }
  .results .plot { display: none; }
  .results th:first-child {
    width: 7rem; min-width: 7rem; max-width: 7rem; white-space: normal; padding-left: 0;
  }
  .results .group th { max-width: none; }
  .pairs { --first: 6.5rem; } .pairs th:first-child { white-space: normal; } .heat { --first: 7rem; } .heat th:first-child { white-space: normal; }
  .results thead th { white-space: normal; }
  .results .key {
    position: sticky; left: 7rem; background: var(--page); z-index: 1; border-right: 1px solid var(--line);
  }
  .results td small { display: block; }
  .more::after { bottom: 1.6rem; }
  .filter summary { display: list-item; margin: 0 0 .4rem; }
  .keys { display: none; }
  .answering #browse.open { grid-template-columns: minmax(0, 1fr); }
  .open .list, .open .filter { display: none; }
  #grid { --row: 40px; }
  .tight #grid .gold, .tight #grid .tally { display: none; }
  .tight #grid .id { width: 5rem; }
  .tight #grid .method { width: auto; }
}
@media print {
  @page { size: A4 landscape; margin: 10mm; }
  :root { color-scheme: light; print-color-adjust: exact; }
  body { font-size: 9.5pt; }
  nav, #browse, .cue, .pair-says, .more::after { display: none; }
  select { appearance: none; border: 0; padding: 0; font-weight: 600; }
  .top { position: static; }
  .scroll, .scroll.tall { overflow: visible; max-height: none; }
  figure, tr, .pair { break-inside: avoid; }
}
`;
