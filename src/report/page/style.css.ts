import { colors, pageStyle } from "../charts/svg.js";

const both = (pick: keyof Omit<(typeof colors)["light"], "series">): string =>
  `light-dark(${colors.light[pick]}, ${colors.dark[pick]})`;

/** The page's style sheet. Colors of text reach 4.5:1 on their backgrounds in both themes, those of charts 3:1. */
export const style = `
:root {
  color-scheme: light dark;
  --page: ${both("background")}; --panel: ${both("panel")};
  --ink: ${both("ink")}; --soft: ${both("muted")}; --line: ${both("grid")};
  --link: light-dark(#0a58b8, #7db4ff); --good: light-dark(#14703a, #6fd193);
  --bad: light-dark(#b02a2a, #ff9088); --warn: light-dark(#8a5200, #f0b95a);
  --mark: light-dark(#e3eeff, #22344f); --banner: light-dark(#fff3d6, #3a2e12);
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1400px; padding: 0 1.25rem 2rem; }
body, dialog, button, select, input { background: var(--page); color: var(--ink); }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; border-top: 1px solid var(--line); padding-top: .75rem; }
h3, h4, h5 { margin: 1rem 0 .25rem; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: 1rem 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.context, .notes, .label, figcaption span, footer { color: var(--soft); font-size: .87rem; }
button, select, input { font: inherit; border: 1px solid var(--line); border-radius: 5px; padding: .2rem .5rem; }
select { max-width: 16rem; }
button:hover, [aria-pressed="true"] { background: var(--mark); }
.banner { background: var(--banner); border-left: 4px solid var(--warn); padding: .5rem .75rem; margin: .5rem 0; }
.answer { background: var(--panel); border: 1px solid var(--line); padding: .5rem .9rem; margin: .75rem 0; }
.answer h2 { margin: 0; padding: 0; border: 0; font-size: .9rem; color: var(--soft); }
.says { margin: .1rem 0 .3rem; font-size: 1.1rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); gap: 1rem; }
figure { margin: .5rem 0; min-width: 0; }
figcaption span { display: block; }
figure > div, .scroll { overflow-x: auto; }
figure svg { display: block; width: 100%; height: auto; }
figure svg { min-width: calc(var(--natural) * .85); max-width: calc(var(--natural) * 1.2); }
${pageStyle}
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); gap: .5rem 1.5rem; }
dt { color: var(--soft); font-size: .8rem; }
dd { margin: 0; max-height: 12rem; overflow: auto; white-space: pre-wrap; }
pre { background: var(--panel); padding: .5rem; margin: 0; font-size: .8rem; white-space: pre-wrap; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .3rem .55rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }
th, td { white-space: nowrap; }
th.text, td.text, tbody th { text-align: left; }
thead th { background: var(--panel); }
tbody th { position: sticky; left: 0; background: var(--page); font-weight: 500; white-space: normal; min-width: 7rem; }
small { color: var(--soft); }
td small { display: block; }
.notes { margin: .4rem 0; padding-left: 1.2rem; }
.warning, .unparsed, .failed { color: var(--warn); }
.right { color: var(--good); }
.wrong { color: var(--bad); }
#filter { display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; }
#matrix td, #matrix th { text-align: left; padding: .15rem .4rem; }
#matrix td > span, #matrix button { display: block; max-width: 20rem; overflow: hidden; text-overflow: ellipsis; }
#matrix td button { border: 0; width: 100%; max-width: 12rem; text-align: left; }
#matrix button span { color: var(--soft); }
dialog { border: 1px solid var(--line); width: min(1400px, 96vw); max-height: 94vh; }
.detail-title { display: flex; gap: .75rem; align-items: center; justify-content: space-between; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1rem; }
.side { min-width: 0; }
.side pre { max-height: 18rem; overflow: auto; border-left: 3px solid var(--good); }
.side pre.asked { border-left-color: var(--link); }
.side pre.found { border-left-color: var(--warn); }
@media (max-width: 599px) {
  #matrix .user, #matrix .asked, #matrix .gold, #matrix button span { display: none; }
}
@media print {
  nav, #answers { display: none; }
  .scroll, figure > div { overflow: visible; }
  table { font-size: 7.5pt; }
  figure, tr { break-inside: avoid; }
}
`;
