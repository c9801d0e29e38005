// What is paid and taken, seat by seat in the order of the house. The ticks are this dealer's own finger on the list:
// they say nothing to the table, so they stay on this page, also over a reload.

import { html, nothing } from '../lit-html.js';
import { money, word } from '../table.js';
import { repaint, ui } from './desk.js';
import { mark } from './marks.js';

const KEPT = 'panel.ticks';

function ticked(round) {
  if (ui.ticks.round !== round) {
    let kept = null;
    try {
      kept = JSON.parse(sessionStorage.getItem(KEPT));
    } catch {
      kept = null;
    }
    ui.ticks = kept?.round === round ? kept : { round, seats: [] };
  }
  return ui.ticks.seats;
}

function tick(round, seat) {
  const seats = ticked(round);
  ui.ticks = { round, seats: seats.includes(seat) ? seats.filter((one) => one !== seat) : [...seats, seat] };
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(ui.ticks));
  } catch {
    // A browser that keeps nothing still shows the list.
  }
  repaint();
}

// What lies on the spots moves without the tray: a refused or void bet goes back to its player.
function goesBack(state, seat) {
  const results = state.seats[seat - 1]?.results ?? {};
  return ['ante', 'raise', 'bonus'].some((spot) => results[spot]?.startsWith('refund'));
}

function moves(state, due) {
  const found = [
    ...(due.takes_cents ? [{ name: 'lose', text: word('due.take', {}), cents: due.takes_cents }] : []),
    ...(due.pays_cents ? [{ name: 'win', text: word('due.pay', {}), cents: due.pays_cents }] : []),
    ...(goesBack(state, due.seat) ? [{ name: 'refund', text: word('due.back', {}), cents: null }] : []),
  ];
  return found.length ? found : [{ name: 'push', text: word('due.nothing', {}), cents: null }];
}

/** Whether there is a list and every seat of it is ticked. */
export function allDone({ state, dues: list = [] }) {
  return list.length > 0 && list.every((due) => ticked(state.round).includes(due.seat));
}

/** The list, with the seat that is next at full size. */
export function dues(now) {
  const { state } = now;
  const list = now.dues ?? [];
  const done = ticked(state.round);
  const current = list.find((due) => !done.includes(due.seat));
  if (!list.length) return html`<section class="dues"><p class="quiet">${word('due.none', {})}</p></section>`;
  return html`
    <section class="dues" aria-label=${word('dues', {})}>
      <div class="due-now" aria-live="polite">${current ? big(state, current) : html`<p class="all-done">${mark('done')}<strong>${word('due.all', {})}</strong></p>`}</div>
      <ol class="due-list">
        ${list.map((due) => html`<li><button type="button" class="due ${done.includes(due.seat) ? 'done' : ''} ${due === current ? 'current' : ''}" data-due=${due.seat}
            aria-pressed=${String(done.includes(due.seat))} @click=${() => tick(state.round, due.seat)}>
          ${mark(done.includes(due.seat) ? 'done' : due === current ? 'on' : 'empty')}<span class="number digits">${due.seat}</span>
          <span class="due-moves">${moves(state, due).map((move) => html`<span>${mark(move.name)}${move.cents === null ? move.text : html`${move.text} <strong class="digits">${money(move.cents)}</strong>`}</span>`)}
            ${due.documents?.length ? html`<span>${mark('waits')}${word('due.document', {})}</span>` : nothing}</span>
        </button></li>`)}
      </ol>
    </section>`;
}

function big(state, due) {
  return html`
    <h2>${word('place.seat', { seat: due.seat })}</h2>
    <div class="due-words">
      ${moves(state, due).map((move) => html`<p class="move ${move.name}">${mark(move.name)}<span>${move.text}</span> ${move.cents === null ? nothing : html`<strong class="digits">${money(move.cents)}</strong>`}</p>`)}
      <ul class="why">${due.lines.map((line) => html`<li>${line}</li>`)}
        ${(due.documents ?? []).map((one) => html`<li class="document">${mark('waits')}${word('due.by_document', { document: one.document, amount: money(one.cents) })}</li>`)}</ul>
    </div>
    <button type="button" class="key strong tick" @click=${() => tick(state.round, due.seat)}>${word('due.done', { seat: due.seat })}</button>`;
}
