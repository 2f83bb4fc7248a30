import { html, type Markup } from "./markup.js";

/** The transcript browser, empty: the page's script fills it. */
export const rowsSection = (
  left: Markup | undefined,
): Markup => html`<section id="rows-section" aria-labelledby="rows-heading">
<h2><span id="rows-heading">Every answer</span> <output id="rows-count" form="filter-form" aria-live="polite"></output></h2>
${left}<noscript><p>The list of answers needs JavaScript; <code>lamp-eval show</code> prints the same transcripts.</p></noscript>
<form id="filter-form" role="search" aria-label="Filter the answers">
<input id="filter-text" type="search" placeholder="search ( / )" aria-label="search in ids, golds and replies" autocomplete="off">
<label><input id="filter-transcripts" type="checkbox"> in transcripts too</label>
<select id="filter-task" aria-label="task"></select>
<select id="filter-method" aria-label="method"></select>
<select id="filter-show" aria-label="which answers">
<option value="all">all answers</option><option value="wrong">wrong, unparsed too</option><option value="right">right</option>
<option value="unparsed">unparsed</option><option value="failed">failed</option>
<option value="flipped">flipped against …</option><option value="gained">better than …</option><option value="lost">worse than …</option>
</select>
<select id="filter-against" aria-label="method that the flipped answers differ from"></select>
<input id="filter-user" list="user-names" placeholder="user" aria-label="user" autocomplete="off"><datalist id="user-names"></datalist>
<select id="filter-order" aria-label="order"><option value="run">order of the run</option><option value="worst">worst first</option><option value="best">best first</option></select>
<button type="reset">Clear</button>
</form>
<div class="browser">
<div id="rows-grid" role="grid" tabindex="0" aria-label="Answers" aria-rowcount="0">
<div role="row" class="line titles" aria-rowindex="1">${[
  "verdict",
  "task",
  "method",
  "user",
  "question",
  "asked",
  "gold",
  "reply",
  "score",
].map((title) => html`<span role="columnheader" class="${title}">${title}</span>`)}</div>
<div id="rows-body" role="rowgroup"></div>
</div>
<aside id="detail" aria-label="Transcript" tabindex="-1"></aside>
</div>
</section>`;

/** What the keys do. */
export const helpDialog: Markup = html`<dialog id="help" aria-labelledby="help-title">
<h3 id="help-title">Keys</h3>
<dl>${(
  [
    ["j, k", "next, previous answer"],
    ["Enter", "open the answer"],
    ["Esc", "close it, else clear the filter; empty a field"],
    ["/", "search"],
    ["t", "theme: auto, light, dark"],
    ["?", "this help"],
  ] as const
).map(([keys, what]) => html`<dt><kbd>${keys}</kbd></dt><dd>${what}</dd>`)}</dl>
<p class="context">The address tells what is shown: copy it to share a filter or an answer.</p>
<form method="dialog"><button>Close</button></form>
</dialog>`;
