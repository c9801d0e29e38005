// The supervisor's console: every table at a glance, one table in full, its papers, and who is logged in.

import { follow, fill, logout, ready, word } from './table.js';
import { html, nothing, render } from './lit-html.js';
import { glance } from './console/glance.js';
import { onDecision, redrawDecision } from './console/dialog.js';
import { oneTable } from './console/onetable.js';
import { peoplePage } from './console/people.js';
import { refreshOffers, touched } from './console/offers.js';
import { shape } from './console/shapes.js';
import { needs } from './console/standing.js';

const head = document.getElementById('head');
const page = document.getElementById('page');
const told = document.getElementById('told');

let config = null;
const announced = new Map();
let drawn = '';
let due = false;
let papers = null;
let loading = false;
let failures = 0;

/** Where the address says that we are: `#/T1/papers` is {table: 'T1', view: 'papers'}. */
function place() {
  const asked = new URLSearchParams(location.search).get('table') ?? '';
  const parts = (location.hash.replace(/^#\/?/, '') || asked).split('/').map(decodeURIComponent);
  if (parts[0] === 'people') return { table: '', view: 'people' };
  if (config.tables.includes(parts[0])) return { table: parts[0], view: parts[1] === 'papers' ? 'papers' : 'table' };
  return config.tables.length === 1 && parts[0] !== 'all'
    ? { table: config.tables[0], view: 'table' }
    : { table: '', view: 'all' };
}

function link(address, words, here) {
  return html`<a class="tab" href=${address} aria-current=${here ? 'page' : nothing}>${words}</a>`;
}

function drawHead(at) {
  const { name, role } = config.operator ?? { name: '', role: '' };
  const table = at.table ? encodeURIComponent(at.table) : '';
  render(html`
    <h1 class="brand">${shape('info')}<span>${word('console.title')}</span></h1>
    <nav class="tabs" aria-label=${word('console.pages')}>
      ${link('#/all', word('console.all'), at.view === 'all')}
      ${at.table ? [
        link(`#/${table}`, word('console.table', { table: at.table }), at.view === 'table'),
        link(`#/${table}/papers`, word('console.papers', { table: at.table }), at.view === 'papers'),
      ] : nothing}
      ${link('#/people', word('console.people'), at.view === 'people')}
    </nav>
    <div class="who">
      <span class="state info">${shape('person')}<span>${name}, ${word(`console.role.${role}`)}</span></span>
      <button class="key small" @click=${() => location.reload()}>${word('console.reload')}</button>
      <button class="key small" @click=${() => logout()}>${word('console.logout')}</button>
    </div>`, head);
}

function draw() {
  due = false;
  const at = place();
  const key = `${at.table}/${at.view}`;
  if (key !== drawn) {
    if (drawn) page.focus({ preventScroll: true });
    drawn = key;
  }
  drawHead(at);
  const views = { all: glance, table: oneTable, papers: papersPage, people: peoplePage };
  render(views[at.view]({ ...at, config, redraw, tell }), page);
  if (at.view === 'table') refreshOffers(at.table, redraw);
  redrawDecision();
}

// Papers and charts are as much as all the rest, and most who open this page ask for none.
function papersPage(here) {
  if (papers) return papers(here);
  if (!loading) {
    loading = true;
    // A file that did not come once is never asked for again under the same name.
    import(failures ? `./console/papers.js?again=${failures}` : './console/papers.js')
      .then((loaded) => { papers = loaded.papersPage; redraw(); }, () => { failures += 1; tell(word('papers.none')); })
      .finally(() => { loading = false; });
  }
  return failures ? html`<p class="notice warn">${word('papers.none')}</p>` : nothing;
}

/** The page is drawn once more, at most once a frame. */
function redraw() {
  if (due) return;
  due = true;
  requestAnimationFrame(draw);
}

/** A sentence for those who do not see the page. */
function tell(sentence) {
  told.textContent = sentence;
}

/** What has come to need somebody is said aloud once, whichever page is open. */
function announce() {
  for (const table of config.tables) {
    const grave = needs(table).filter((need) => need.weight >= 50).map((need) => need.words).join('; ');
    if (grave && grave !== announced.get(table)) tell(`${table}: ${grave}`);
    announced.set(table, grave);
  }
}

config = await ready();
document.title = word('console.title');
fill(document);
addEventListener('hashchange', redraw);
for (const event of ['pointerdown', 'keydown']) addEventListener(event, () => { touched(); redraw(); }, { passive: true });
onDecision({ config, redraw, tell });
follow(() => { announce(); redraw(); });
redraw();
