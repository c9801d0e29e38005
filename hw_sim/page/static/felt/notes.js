// What happened lately, in words: the scrolling window of the game.
import { html } from '../lit-html.js';
import { word, money } from '../table.js';
import { model } from './model.js';

/** The last happenings, the newest first. */
export function lines() {
  const notes = [...model.picture.notes].reverse();
  if (!notes.length) return html`<p class="quiet">${word('felt.nothing_yet')}</p>`;
  return html`<ol class="notes">${notes.map((note) => html`<li>${sentence(note)}</li>`)}</ol>`;
}

/** What an alarm or a hold says, as a part of a sentence; a code without words is said as it is. */
export function reason(kind, code) {
  const key = `${kind}.${code.replaceAll(' ', '_')}`;
  const text = word(key);
  return text === key ? code.replaceAll('_', ' ') : text;
}

/** What ends a hold, in the words that the keys of every page have for it; `ends` is how the table says it. */
export function endsOf(hold, ends) {
  const key = ends === 'a void' ? 'ends.void' : `ends.${hold}`;
  const text = word(key);
  return text === key ? ends : text;
}

/** "3" is seat 3, "ante 3" its ante, "D" the dealer. */
function placeName(place) {
  const [, spot, seat] = /^(?:([a-z]+) )?(\d+)$/.exec(place) ?? [];
  if (!seat) return place === 'D' ? word('felt.the_dealer') : place;
  const at = word('felt.seat', { seat });
  return ['ante', 'bonus', 'raise'].includes(spot) ? `${word(`felt.${spot}`)}, ${at}` : at;
}

function sentence({ word: key, values }) {
  const filled = { ...values };
  if (typeof values.cents === 'number') filled.cents = money(values.cents);
  for (const name of ['alarm', 'hold']) {
    if (values[name]) filled[name] = reason(name, values[name]);
  }
  if (values.place) filled.place = placeName(values.place);
  if (key === 'coin_back') filled.why = reason(`felt.why`, values.why);
  if (values.fault) filled.fault = word(`felt.${key === 'mended' ? 'mend' : 'fault'}.${values.fault}`, { spot: '' });
  const known = word(`felt.note.${key}`, filled);
  return known === `felt.note.${key}` ? word(`felt.no.${key}`, filled) : known;
}
