/** The page's style sheet. Colors reach WCAG AA on their backgrounds in both themes. */
export const style = `
:root {
  color-scheme: light dark;
  --page: light-dark(#ffffff, #14171c); --panel: light-dark(#f5f6f8, #1c2027); --ink: light-dark(#1a1d21, #e4e7ec);
  --soft: light-dark(#545b66, #a5adba); --line: light-dark(#d5d9e0, #353b46); --link: light-dark(#0a58b8, #7db4ff);
  --good: light-dark(#14703a, #6fd193); --bad: light-dark(#b02a2a, #ff9088); --warn: light-dark(#8a5200, #f0b95a);
  --mark: light-dark(#e3eeff, #22344f); --banner: light-dark(#fff3d6, #3a2e12);
  --dot: light-dark(#0072b2, #56b4e9); --gone: light-dark(#ffe5e3, #43201e); --new: light-dark(#dff5e5, #163622);
  --chart-muted: light-dark(#57606b, #a5adba); --chart-grid: light-dark(#d9dee5, #353b46); --chart-background: light-dark(#ffffff, #14171c);
  --mono: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
html { scroll-padding-top: 3rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main, header.page, footer { max-width: 1400px; margin: 0 auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; margin: 1.25rem 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
main > section:first-child > h2 { border-top: 0; margin-top: .75rem; }
.part > summary > h2 { display: inline; border: 0; margin: 0; padding: 0; }
.part > summary { border-top: 1px solid var(--line); padding: .75rem 0 .25rem; margin-top: 1.25rem; }
main > section:first-child > .part > summary { border-top: 0; margin-top: 0; }
.about { font-size: .9rem; color: var(--soft); }
.answers { display: grid; gap: .75rem; margin: .75rem 0; }
.answer { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .9rem; min-width: 0; }
.answer { --chart-background: var(--panel); }
.answer h2 { margin: 0; padding: 0; border: 0; font-size: .9rem; font-weight: 500; color: var(--soft); }
.answer .says { margin: .1rem 0 .3rem; font-size: 1.1rem; overflow-wrap: anywhere; }
.answer .says a { font-size: .85rem; white-space: nowrap; }
.rests { display: flex; flex-wrap: wrap; gap: .1rem 1.75rem; margin: 0; font-size: .85rem; }
.rests > div { display: flex; gap: .4rem; }
.rests dt, .past { color: var(--soft); }
.rests dd { margin: 0; }
.past { font-size: .85rem; margin: .3rem 0; }
.past h3 { margin: 0; font-size: .85rem; }
.past ul { margin: 0; padding-left: 1.2rem; color: var(--ink); }
.answer > .sides { align-items: start; }
.gains table { width: 100%; }
.gains th, .gains td { padding: .16rem .4rem; border: 0; background: none; }
.gains thead th { padding: 0 .4rem; font-weight: 500; color: var(--soft); text-align: right; }
.gains thead th:first-child { text-align: left; }
.gains tbody th { min-width: 7.5rem; }
.gains td small { display: inline; }
.gains .plot { width: 42%; }
.gains td { position: relative; vertical-align: middle; }
.gains tbody th { vertical-align: middle; }
.plot > div { position: absolute; inset: 0 .4rem; }
.plot > .ends { position: static; display: flex; justify-content: space-between; font-size: .75rem; font-weight: 400; }
.plot i { position: absolute; top: 0; bottom: 0; }
.plot .zero { border-left: 1px dashed var(--soft); }
.plot .range { top: calc(50% - 1px); bottom: auto; height: 2px; background: var(--dot); }
.plot .dot { top: calc(50% - 4.5px); bottom: auto; width: 9px; height: 9px; margin-left: -4.5px; border-radius: 50%; background: var(--dot); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 1rem; }
.side { min-width: 0; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .25rem; }
h4, h5 { margin: .75rem 0 .2rem; font-size: .95rem; }
p.label { margin: .75rem 0 .2rem; color: var(--soft); font-size: .8rem; font-weight: 600; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
main:focus, #detail:focus { outline: none; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:not(:focus) { position: absolute; left: -100vw; }
nav.page { position: sticky; top: 0; z-index: 5; background: var(--page); border-bottom: 1px solid var(--line); }
nav.page > div { max-width: 1400px; margin: 0 auto; padding: .35rem 1.25rem; display: flex; gap: .25rem 1rem; align-items: center; }
nav.page ul { display: flex; gap: 0 .9rem; font-size: .9rem; overflow-x: auto; white-space: nowrap; min-width: 0; margin: 0; padding: 0; list-style: none; flex: 1; }
button, select, input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 5px; padding: .2rem .5rem; }
button { cursor: pointer; }
button:hover { background: var(--mark); }
select { max-width: 16rem; }
#persona-of { max-width: 100%; }
.banner { background: var(--banner); border-left: 4px solid var(--warn); padding: .5rem .75rem; margin: .5rem 0; border-radius: 3px; }
.banner strong { margin-right: .5rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .5rem 1.5rem; margin: .75rem 0; }
.facts dt { color: var(--soft); font-size: .8rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
code { font-family: var(--mono); font-size: .85em; overflow-wrap: anywhere; }
pre { font: .8rem/1.45 var(--mono); background: var(--panel); border: 1px solid var(--line); border-radius: 5px; margin: 0; padding: .5rem .65rem; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
.context, .notes, .empty { color: var(--soft); font-size: .87rem; margin: .25rem 0; }
.notes { padding-left: 1.2rem; margin: .5rem 0; }
.scroll { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: separate; border-spacing: 0; font-size: .85rem; font-variant-numeric: tabular-nums; }
table.sortable { min-width: 100%; }
th, td { padding: .3rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); white-space: nowrap; }
th.text, td.text, tbody th { text-align: left; white-space: normal; min-width: 9rem; font-weight: 500; }
tbody th { position: sticky; left: 0; background: var(--page); }
td small, tbody th small { display: block; color: var(--soft); font-size: .9em; font-weight: 400; }
tbody tr:hover > * { background: var(--panel); }
tr.reference > * { color: var(--soft); font-style: italic; }
thead th { padding: 0; border-bottom: 2px solid var(--line); }
thead button { border: 0; background: none; width: 100%; text-align: inherit; padding: .3rem; font-weight: 600; white-space: nowrap; }
th[aria-sort="ascending"] button::after { content: " ▲"; font-size: .7em; }
th[aria-sort="descending"] button::after { content: " ▼"; font-size: .7em; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1.25rem; align-items: start; }
figure { margin: .5rem 0; min-width: 0; }
figure > div { overflow-x: auto; }
:root[data-theme="dark"] figure svg [opacity="0.65"] { opacity: 1; }
@media screen and (prefers-color-scheme: dark) {
  :root[data-theme="auto"] figure svg [opacity="0.65"] { opacity: 1; }
}
figure svg, figure img { width: 100%; max-width: calc(var(--natural) * 1.7); height: auto; display: block; }
figure img { background: #fff; border-radius: 5px; }
figcaption { font-size: .87rem; margin-bottom: .35rem; }
figcaption span { color: var(--soft); display: block; }
.group-of-charts > summary { font-size: .95rem; font-weight: 600; padding: .2rem 0; }
#filter-form { display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; margin: .5rem 0; }
#filter-form label { font-size: .87rem; color: var(--soft); }
#filter-text { width: 13rem; }
#filter-user { width: 7rem; }
#rows-count { float: right; color: var(--soft); font-size: .87rem; font-weight: 400; }
#filter-against[hidden] { display: none; }
.browser { display: grid; grid-template-columns: minmax(0, 1fr); height: calc(100vh - 11rem); min-height: 24rem; gap: .75rem; }
#rows-grid { container-type: inline-size; overflow: auto; border: 1px solid var(--line); border-radius: 5px; min-width: 0; }
.line { display: grid; grid-template-columns: 6.5rem 4rem minmax(8rem, 2fr) minmax(5rem, 8rem) repeat(var(--methods), minmax(5rem, 1fr)); height: 30px; min-width: calc(25.5rem + var(--methods) * 5.5rem); font-size: .84rem; }
.line > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; padding: 0 .35rem; line-height: 29px; }
.line.titles { position: sticky; top: 0; z-index: 2; height: auto; background: var(--panel); border-bottom: 1px solid var(--line); font-weight: 600; }
.line > .question { position: sticky; left: 0; background: var(--page); z-index: 1; }
.line.titles > .question { background: var(--panel); }
#rows-body { position: relative; min-width: calc(25.5rem + var(--methods) * 5.5rem); }
#rows-body .line { position: absolute; left: 0; right: 0; cursor: pointer; border-bottom: 1px solid var(--line); }
#rows-body .line:hover > span { background: var(--panel); }
#rows-body [aria-selected="true"] { background: var(--mark); box-shadow: inset 0 0 0 2px var(--link); }
.line .mark { display: inline-block; min-width: 1.6em; padding: 0 .2em; margin-right: .3em; text-align: center; line-height: 1.5; border-radius: 3px; }
.line .reply { color: var(--soft); }
.mark.right { color: var(--good); }
.mark.wrong { color: var(--bad); }
.mark.unparsed, .mark.failed { color: var(--warn); font-weight: 600; }
.mark[class*="error-"] { color: var(--ink); }
.mark.error-1 { background: light-dark(#fbe9e7, #2f2020); }
.mark.error-2 { background: light-dark(#f8d3cf, #442626); }
.mark.error-3 { background: light-dark(#f5bab4, #5b2c2b); }
.mark.error-4 { background: light-dark(#f2a29a, #733130); }
#detail { overflow: auto; border: 1px solid var(--line); border-radius: 5px; padding: 0 .9rem .9rem; min-width: 0; display: none; background: var(--page); }
.detail-open #detail { display: block; }
.detail-title { position: sticky; top: 0; background: var(--page); display: flex; gap: .75rem; align-items: center; padding: .5rem 0; border-bottom: 1px solid var(--line); z-index: 1; }
.detail-title h3 { flex: 1; margin: 0; font-size: .95rem; overflow-wrap: anywhere; }
.verdict { display: grid; grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr)); gap: .5rem 1rem; margin: .6rem 0; }
.verdict dt { color: var(--soft); font-size: .78rem; }
.verdict dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 12rem; overflow: auto; }
.others ul { list-style: none; margin: .3rem 0; padding: 0; font-size: .85rem; }
.others li { margin: .25rem 0; overflow-wrap: anywhere; }
.others button { padding: .05rem .4rem; margin-right: .5rem; }
.group { border-top: 1px solid var(--line); margin-top: .75rem; padding-top: .25rem; }
pre.asked { max-height: 18rem; overflow: auto; border-left: 3px solid var(--link); }
pre.found { border-left: 3px solid var(--warn); }
pre.said { border-left: 3px solid var(--good); }
.personas summary { font-weight: 600; }
.diff span { color: var(--soft); }
.diff del, .diff ins { text-decoration: none; display: inline-block; width: 100%; }
.diff del { background: var(--gone); }
.diff ins { background: var(--new); }
dialog { background: var(--page); color: var(--ink); border: 1px solid var(--line); border-radius: 8px; max-width: 30rem; }
dialog h3 { margin-top: .25rem; }
dialog::backdrop { background: rgb(0 0 0 / .45); }
kbd { font: .85em var(--mono); border: 1px solid var(--line); border-radius: 4px; padding: 0 .35em; }
dialog dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; }
dialog dd { margin: 0; }
footer { color: var(--soft); font-size: .85rem; padding-top: 2rem; padding-bottom: 2rem; }
@container (max-width: 46rem) {
  #rows-body, .line { min-width: calc(5rem + var(--methods) * 2.4rem); }
  .line { grid-template-columns: minmax(5rem, 1fr) repeat(var(--methods), 2.4rem); }
  .line > .user, .line > .asked, .line > .gold, .line .reply { display: none; }
  .line > .method { padding: 0; text-align: center; }
  .line .mark { margin: 0; }
  .line.titles > .method { writing-mode: vertical-rl; padding: .3rem 0; line-height: 2.4rem; max-height: 9rem; text-align: left; }
  .line.titles > .question { align-self: end; }
}
@media (min-width: 1000px) {
  .answer > .sides { grid-template-columns: minmax(0, 11fr) minmax(0, 9fr); }
  .charts > figure:last-child:nth-child(odd) { grid-column: 1 / -1; display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: 1.25rem; }
  .detail-open .browser { grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); }
}
@media (max-width: 599px) {
  nav.page { position: static; }
  nav.page ul { flex: 1 0 100%; flex-wrap: wrap; overflow: visible; white-space: normal; row-gap: .2rem; }
  nav.page > div { flex-wrap: wrap; }
}
@media (max-width: 999px) {
  .detail-open #detail { position: fixed; inset: 0; z-index: 10; border: 0; border-radius: 0; }
  .browser { height: 80vh; }
}
@media (max-width: 599px) {
  .gains .sure { display: none; }
  .gains .plot { width: 38%; }
  .gains td small { display: block; }
}
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  @page { size: A4 landscape; margin: 12mm; }
  body { font-size: 10pt; }
  nav.page, #rows-section, #personas, .skip, dialog { display: none !important; }
  main, header.page, footer { max-width: none; padding: 0; }
  .scroll, figure > div { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td, thead button { padding: .15rem .3rem; }
  tbody th { position: static; min-width: 6rem; }
  thead button { font-size: inherit; }
  h2, h3, h4, .context, .banner, figcaption { break-after: avoid; break-inside: avoid; }
  h2 { margin-top: 1rem; }
  figure, tr, .banner { break-inside: avoid; }
  thead { display: table-header-group; break-inside: avoid; }
  tbody tr:nth-child(-n+2), tbody tr:nth-last-child(2) { break-after: avoid; }
  .scroll:not(:has(tbody tr:nth-child(9))) { break-inside: avoid; }
  .notes { break-before: avoid; }
  details:not([open]):not(.part, .about) { display: none; }
  .part > summary { list-style: none; margin-top: .5rem; break-after: avoid; }
  .charts { grid-template-columns: 1fr 1fr; gap: .75rem; }
  figcaption, .notes, .context { font-size: 8pt; }
  figure svg, figure img { max-height: 62mm; }
  .facts { font-size: 8pt; grid-template-columns: repeat(4, 1fr); gap: .25rem .75rem; }
}
`;
