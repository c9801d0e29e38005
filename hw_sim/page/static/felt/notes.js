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

function sentence({ word: key, values }) {
  const filled = { ...values };
  if (typeof values.cents === 'number') filled.cents = money(values.cents);
  for (const name of ['alarm', 'hold']) {
    if (values[name]) filled[name] = values[name].replaceAll('_', ' ');
  }
  if (values.fault) filled.fault = word(`felt.fault.${values.fault}`, { spot: '' });
  const known = word(`felt.note.${key}`, filled);
  return known === `felt.note.${key}` ? word(`felt.no.${key}`, filled) : known;
}
