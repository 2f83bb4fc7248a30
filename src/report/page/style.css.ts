import { colors, pageStyle } from "../charts/theme.js";

const both = (pick: keyof Omit<(typeof colors)["light"], "series">): string =>
  `light-dark(${colors.light[pick]}, ${colors.dark[pick]})`;

/** The page's style sheet. Colors of text reach 4.5:1 on their backgrounds in both themes, those of charts 3:1. */
export const style = `
:root {
  color-scheme: light dark;
  --page: ${both("background")}; --panel: ${both("panel")}; --ink: ${both("ink")}; --soft: ${both("muted")}; --line: ${both("grid")};
  --link: light-dark(#0a58b8, #7db4ff); --good: light-dark(#14703a, #6fd193); --bad: light-dark(#b02a2a, #ff9088);
  --warn: light-dark(#8a5200, #f0b95a); --mark: light-dark(#e3eeff, #22344f); --banner: light-dark(#fff3d6, #3a2e12);
  --dot: light-dark(${colors.light.series[0]}, ${colors.dark.series[0]});
  --mono: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
* { box-sizing: border-box; }
html { scroll-padding-top: 3rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main, header.page, footer { max-width: 1400px; margin: 0 auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; margin: 1.25rem 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.25rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--line); }
main > section:first-child > h2 { border-top: 0; margin-top: .5rem; }
h3 { font-size: 1.05rem; margin: 1.25rem 0 .25rem; }
h4, h5 { margin: .75rem 0 .2rem; font-size: .95rem; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
main:focus { outline: none; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:not(:focus) { position: absolute; left: -100vw; }
.context, .about, .notes, .label, figcaption span { color: var(--soft); font-size: .87rem; }
nav.page { position: sticky; top: 0; z-index: 5; background: var(--page); border-bottom: 1px solid var(--line); }
nav.page > div { max-width: 1400px; margin: 0 auto; padding: .35rem 1.25rem; display: flex; gap: .25rem 1rem; align-items: center; }
nav.page ul { display: flex; flex-wrap: wrap; gap: .1rem .9rem; font-size: .9rem; margin: 0; padding: 0; list-style: none; flex: 1; }
button, select, input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 5px; padding: .2rem .5rem; }
button { cursor: pointer; }
button:hover, [aria-pressed="true"] { background: var(--mark); }
select { max-width: 16rem; }
.banner { background: var(--banner); border-left: 4px solid var(--warn); padding: .5rem .75rem; margin: .5rem 0; border-radius: 3px; }
.answers { display: grid; gap: .75rem; margin: .75rem 0; }
.answer { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .9rem; min-width: 0; }
.answer h2 { margin: 0; padding: 0; border: 0; font-size: .9rem; font-weight: 500; color: var(--soft); }
.answer .says { margin: .1rem 0 .3rem; font-size: 1.1rem; overflow-wrap: anywhere; }
.answer .says a { font-size: .85rem; white-space: nowrap; }
.rests { display: flex; flex-wrap: wrap; gap: .1rem 1.75rem; margin: 0; font-size: .85rem; }
.rests > div { display: flex; gap: .4rem; }
.rests dt { color: var(--soft); }
.rests dd { margin: 0; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1rem; align-items: start; }
.side { min-width: 0; }
.gains table { width: 100%; }
.gains th, .gains td { padding: .16rem .4rem; border: 0; background: none; vertical-align: middle; position: relative; }
.gains thead th { font-weight: 500; color: var(--soft); text-align: right; }
.gains th:first-child { text-align: left; min-width: 7.5rem; }
.gains th small { display: block; }
.gains .plot { width: 40%; }
.plot > div { position: absolute; inset: 0 .4rem; }
.plot > .ends { position: static; display: flex; justify-content: space-between; font-size: .75rem; font-weight: 400; }
.plot i { position: absolute; top: 0; bottom: 0; }
.plot .zero { border-left: 1px dashed var(--soft); }
.plot .range { top: calc(50% - 1px); bottom: auto; height: 2px; background: var(--dot); }
.plot .dot { top: calc(50% - 4.5px); bottom: auto; width: 9px; height: 9px; margin-left: -4.5px; border-radius: 50%; background: var(--dot); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .5rem 1.5rem; margin: .75rem 0; }
.facts dt { color: var(--soft); font-size: .8rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
code { font-family: var(--mono); font-size: .85em; overflow-wrap: anywhere; }
pre { font: .8rem/1.45 var(--mono); background: var(--panel); border: 1px solid var(--line); border-radius: 5px; margin: 0; padding: .5rem .65rem; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .55rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; vertical-align: top; }
th.text, td.text, tbody th { text-align: left; }
tbody th { font-weight: 500; }
thead th { background: var(--panel); font-weight: 600; }
tbody th { position: sticky; left: 0; background: var(--page); white-space: normal; min-width: 8rem; }
td.text { white-space: normal; min-width: 6rem; }
tr.reference > * { color: var(--soft); }
td small, th small { color: var(--soft); font-size: .9em; }
.sortable td small { display: block; }
thead button { border: 0; background: none; padding: 0; font-weight: inherit; }
[aria-sort="ascending"] button::after { content: " ▲"; }
[aria-sort="descending"] button::after { content: " ▼"; }
.notes { margin: .4rem 0; padding-left: 1.2rem; }
.warning { color: var(--warn); margin: .3rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(30rem, 100%), 1fr)); gap: 1rem 1.5rem; }
figure { margin: .5rem 0; min-width: 0; }
figcaption span { display: block; }
figure > div { overflow-x: auto; }
figure svg { width: 100%; max-width: calc(var(--natural) * 1.25); height: auto; display: block; }
${pageStyle}
#filter { display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; margin: .5rem 0; }
#filter [hidden] { display: none; }
#count { margin-left: auto; color: var(--soft); font-size: .87rem; }
#matrix td, #matrix th { text-align: left; padding: .15rem .4rem; }
#matrix tbody th { min-width: 5rem; }
#matrix td > span, #matrix button { display: block; max-width: 22rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
#matrix .gold > span { max-width: 9rem; }
#matrix td button { border: 0; padding: .1rem .2rem; width: 100%; max-width: 12rem; text-align: left; }
#matrix button span { color: var(--soft); }
.mark { display: inline-block; min-width: 1.6em; margin-right: .3em; text-align: center; }
.mark.right { color: var(--good); }
.mark.wrong { color: var(--bad); }
.mark.unparsed, .mark.failed { color: var(--warn); font-weight: 600; }
dialog { background: var(--page); color: var(--ink); border: 1px solid var(--line); border-radius: 8px; width: min(1400px, 96vw); max-height: 94vh; padding: 0 1rem 1rem; }
dialog::backdrop { background: rgb(0 0 0 / .45); }
.detail-title { position: sticky; top: 0; background: var(--page); display: flex; gap: .75rem; align-items: center; padding: .5rem 0; border-bottom: 1px solid var(--line); z-index: 1; }
.detail-title h3 { flex: 1; margin: 0; font-size: .95rem; overflow-wrap: anywhere; }
.others button { margin: .15rem; }
.verdict { display: grid; grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr)); gap: .5rem 1rem; margin: .6rem 0; }
.verdict dt { color: var(--soft); font-size: .78rem; }
.verdict dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 12rem; overflow: auto; }
.verdict .mark { text-align: left; }
.group { border-top: 1px solid var(--line); margin-top: .75rem; padding-top: .25rem; }
.label { margin: .75rem 0 .2rem; font-weight: 600; overflow-wrap: anywhere; }
.side pre { max-height: 18rem; overflow: auto; border-left: 3px solid var(--good); }
.side pre.asked { border-left-color: var(--link); }
.side pre.found { border-left-color: var(--warn); }
footer { color: var(--soft); font-size: .85rem; padding-top: 2rem; padding-bottom: 2rem; }
@media (max-width: 599px) {
  nav.page { position: static; }
  .gains th, .gains td { padding: .16rem .2rem; }
  .gains th:first-child { min-width: 0; overflow-wrap: anywhere; }
  .gains .plot { width: 30%; }
  .gains td small { display: block; }
  #matrix .user, #matrix .asked, #matrix .gold, #matrix button span { display: none; }
  #matrix .mark { margin: 0; }
}
@media print {
  :root { color-scheme: light; }
  @page { size: A4 landscape; margin: 12mm; }
  body { font-size: 10pt; }
  nav.page, #answers, .skip { display: none; }
  .scroll, figure > div { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td, thead button { padding: .15rem .3rem; font-size: inherit; }
  tbody th { position: static; min-width: 6rem; }
  h2, h3, figcaption { break-after: avoid; }
  figure, tr, .banner { break-inside: avoid; }
  details:not([open]) { display: none; }
  figure svg { max-height: 70mm; }
}
`;
