// Every table at a glance; the one that needs somebody stands first.

import { html, nothing } from '../lit-html.js';
import { count, money, tables, time, word } from '../table.js';
import { age, needs, openAlarms, phase } from './standing.js';
import { state } from './shapes.js';

const SHOWN = 3;

function row(name, value, extra = '') {
  return html`<div><dt>${name}</dt><dd class=${extra}>${value}</dd></div>`;
}

function tile(table) {
  const known = tables.get(table);
  const old = age(table);
  const found = needs(table);
  const view = known?.state;
  const grave = found[0]?.weight >= 50 ? 'bad' : found[0]?.weight >= 15 ? 'warn' : 'well';
  const now = view ? phase(view) : { kind: 'bad', form: 'bad', words: word('phase.unknown') };
  const waiting = view?.awards.filter((award) => award.status === 'waits') ?? [];
  return html`
    <li class="tile ${grave} ${old}">
      <a href="#/${encodeURIComponent(table)}">
        <span class="tile-head">
          <span class="tile-name">${table}</span>
          ${old === 'live' ? state(now.kind, now.words, now.form) : state('bad', word(`age.${old}`), old === 'refused' ? 'lock' : 'bad')}
        </span>
        <span class="tile-needs">
          ${found.slice(0, SHOWN).map((need) => state(need.kind, need.words, need.form))}
          ${found.length > SHOWN ? html`<span class="quiet">${word('glance.more', { number: found.length - SHOWN })}</span>` : nothing}
          ${found.length ? nothing : state('well', word('glance.nothing'))}
        </span>
        ${view ? html`
          <span class="tile-meter"><span class="quiet">${word('meter')}</span><span class="digits">${view.meter ? money(view.meter.cents) : word('meter.none')}</span></span>` : nothing}
      </a>
      ${view ? html`<dl class="tile-rows">
        ${row(word('round'), view.round || word('none'), 'digits')}
        ${row(word('dealer'), view.on_duty || word('dealer.nobody'))}
        ${row(word('day'), dayWords(view.day))}
        ${row(word('awards.pending'), waiting.length ? `${count(waiting.length)} / ${money(waiting.reduce((sum, one) => sum + one.cents, 0))}` : count(0), 'digits')}
        ${row(word('alarms'), count(openAlarms(view).length), 'digits')}
        ${row(word('holds'), count(view.holds.length), 'digits')}
        ${row(word('news'), known.ageMs() < 1500 ? word('news.now') : time(known.ageMs()), 'digits')}
      </dl>` : nothing}
    </li>`;
}

/** The gaming day in words. */
export function dayWords(day) {
  if (!day) return word('day.none');
  if (!day.open) return day.number ? word('day.closed', { day: day.number }) : word('day.before');
  return day.shift ? word('day.shift', { day: day.number, shift: day.shift }) : word('day.open', { day: day.number });
}

/** The page of all tables. */
export function glance({ config }) {
  const weight = (name) => needs(name)[0]?.weight ?? 0;
  const names = [...config.tables].sort((one, other) => weight(other) - weight(one) || one.localeCompare(other));
  const calling = names.filter((name) => weight(name) >= 15).length;
  return html`
    <h2 class="page-title">${calling ? word('glance.calling', { number: calling }) : word('glance.quiet')}</h2>
    <ul class="tiles">${names.map(tile)}</ul>`;
}
