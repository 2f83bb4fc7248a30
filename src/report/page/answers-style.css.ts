/** The part of the style sheet that the view of all answers has. */
export const answersStyle = `
#browse { display: none; }
.answering #report, .answering footer { display: none; }
.answering #browse {
  display: grid; grid-template: auto minmax(0, 1fr) / minmax(0, 1fr); height: calc(100vh - var(--top, 45px));
  height: calc(100dvh - var(--top, 45px)); margin: 0; padding: .6rem 0 0; border: 0;
}
.answering #browse.open { grid-template-columns: minmax(0, 42fr) minmax(0, 58fr); column-gap: 1.25rem; }
.filter { grid-column: 1 / -1; }
.list { display: flex; flex-direction: column; min-width: 0; min-height: 0; }
#filter { display: flex; flex-wrap: wrap; gap: .4rem .7rem; align-items: center; }
.filter summary { display: none; }
fieldset { border: 0; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .3rem; }
.chip input { position: absolute; opacity: 0; }
.chip span {
  display: block; border: 1px solid var(--edge); border-radius: 99px; padding: .15rem .7rem; cursor: pointer;
}
.chip :checked + span { background: var(--tint); border-color: var(--link); }
.chip :focus-visible + span { outline: 2px solid var(--link); outline-offset: 1px; }
.where { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: .3rem; align-items: center; }
.where select { max-width: 8.5rem; }
#filter input[type="search"] { width: 8.5rem; }
.status { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .5rem 0; }
.status output { color: var(--ink); font-weight: 600; }
.m { display: inline-block; min-width: 1.35rem; text-align: center; border-radius: 3px; font-weight: 600; }
#grid { --row: 30px; overflow: auto; flex: 1; min-height: 0; border: 1px solid var(--line); }
#grid table { width: 100%; border-collapse: separate; border-spacing: 0; table-layout: fixed; }
#grid th, #grid td {
  height: var(--row); padding: 0 .4rem; text-align: left; overflow: hidden; text-overflow: ellipsis;
  border-bottom: 1px solid var(--line);
}
#grid thead th {
  position: sticky; top: 0; z-index: 2; background: var(--panel); height: auto; padding-block: .3rem;
}
#grid .id { position: sticky; left: 0; z-index: 1; width: 88px; background: var(--page); }
#grid thead .id { z-index: 3; background: var(--panel); }
#grid .asked { width: 17%; } #grid .gold { width: 8.5rem; } #grid .tally { width: 3rem; text-align: center; }
#grid td.cell { padding: 0 2px; cursor: pointer; }
#grid td.cell > span {
  display: flex; gap: .35rem; align-items: center; height: calc(100% - 4px); padding: 0 .3rem;
  border-radius: 3px; overflow: hidden;
}
#grid td.cell > .m { font-weight: 400; }
#grid td.cell b { flex: none; font-weight: 600; }
#grid td.cell .reply { color: inherit; overflow: hidden; text-overflow: ellipsis; }
#grid td[aria-selected="true"] > span { outline: 2px solid var(--ink); outline-offset: -2px; }
#grid tr.at > * { border-block: 1px solid var(--link); }
.texts #grid .tally { display: none; } .texts #grid .gold { width: 17%; }
#grid td:focus-visible { outline: none; }
#grid td:focus-visible > span { outline: 3px solid var(--link); outline-offset: -2px; }
#grid tr.gap td { height: auto; padding: 0; border: 0; }
.tight #grid .asked { display: none; }
.tight #grid td.cell > span { justify-content: center; }
.tight #grid .reply { display: none; }
.tight #grid .method { width: 34px; padding-inline: 2px; }
.tight #grid thead .method span {
  writing-mode: vertical-rl; transform: rotate(180deg); max-height: 9.5rem; margin: auto;
}
.tight #grid thead .method { text-align: center; }
.tight #grid table { width: auto; min-width: 100%; }
.tight #grid .gold { width: auto; min-width: 6rem; }

#answer { overflow: auto; border: 1px solid var(--line); background: var(--page); min-width: 0; }
.bar-top {
  position: sticky; top: 0; z-index: 2; background: var(--panel); display: flex; flex-wrap: wrap;
  gap: .3rem .6rem; align-items: center; padding: .4rem .8rem; border-bottom: 1px solid var(--line);
}
.bar-top h2 { margin: 0; font-size: 1rem; flex: 1 1 11rem; }
.bar-top select { max-width: 9.5rem; }
.bar-top button:last-child { margin-left: auto; }
.body { padding: .7rem .9rem 2rem; }
.asked-text { margin: 0 0 .6rem; }
.gold-line { margin: 0 0 .7rem; }
.methods {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .3rem; margin: 0 0 1rem;
}
.methods button {
  display: grid; grid-template-columns: auto 1fr; gap: 0 .5rem; text-align: left; padding: .25rem .4rem;
  align-items: center;
}
.methods button small { grid-column: 2; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.methods [aria-pressed="true"] { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
.sides {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: 1.25rem;
}
.side { min-width: 0; }
.side > h3 { border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
.said { margin: .7rem 0 .15rem; color: var(--soft); font-size: .86em; }
.side pre { border-left: 3px solid var(--edge); font: inherit; font-size: .92em; }
.side pre.asked { border-color: var(--link); }
.side pre.reply { border-color: var(--up); }
.side pre.long:not(.all) {
  max-height: 15rem; overflow: hidden; mask-image: linear-gradient(#000 80%, transparent);
}
.side mark { background: var(--tint); color: inherit; }
.side mark.gold { background: var(--right); color: var(--right-ink); }
.side table { font-size: .86em; margin: .2rem 0; width: 100%; }
.records { overflow-x: auto; }
.side td, .side th {
  white-space: normal; text-align: left; padding: .15rem .5rem .15rem 0; vertical-align: top;
}
.side table .num { text-align: right; }
.side table .num, .side table .short { white-space: nowrap; }
.side table .text { min-width: 10rem; overflow-wrap: anywhere; }
summary { cursor: pointer; margin: .8rem 0 .2rem; }
`;
