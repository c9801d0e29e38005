// How a table stands, for tiles and heads: what needs somebody, most pressing first.

import { OFFLINE_MS, STALE_MS, money, tables, time, word } from '../table.js';
import { acknowledged } from './record.js';

const FORMS = { hold: 'hold', trial: 'info', closed: 'off', idle: 'off' };
const KINDS = { hold: 'bad', trial: 'warn', closed: 'info', void: 'warn' };

/** How old the news of a table is: `live`, `stale`, `offline`, or `refused` where it does not know this page. */
export function age(table) {
  const known = tables.get(table);
  if (!known) return 'offline';
  if (known.refused) return 'refused';
  const ms = known.ageMs();
  return ms > OFFLINE_MS || !known.state ? 'offline' : ms > STALE_MS ? 'stale' : 'live';
}

/** Whether nothing that is shown of a table is confirmed: it was not heard for long, or it refuses this page. */
export function isDead(table) {
  return ['offline', 'refused'].includes(age(table));
}

/** The word, shape and colour of what a table is doing. */
export function phase(state) {
  const name = state.shown ?? state.phase;
  return { kind: KINDS[name] ?? 'well', form: FORMS[name] ?? KINDS[name] ?? 'well', words: word(`phase.${name}`) };
}

/** Alarms nobody has acknowledged. */
export function openAlarms(state) {
  return state.alarms.filter((alarm) => !acknowledged(state, alarm));
}

/** Health lines that are down, by their names. */
export function unwell(state) {
  const lines = state.meter ? ['meter', 'display', 'door', 'mains'] : ['door', 'mains'];
  return lines.filter((line) => state.health?.[line] === false);
}

/** A place as it is called at the table: a seat, the dealer, the rack, a spot of a seat. */
export function placeWords(place) {
  if (!place) return '';
  if (place === 'D') return word('place.dealer');
  if (place === 'X') return word('place.rack');
  const [spot, seat] = place.includes(' ') ? place.split(' ') : ['', place];
  return spot ? word('place.spot', { spot: word(`spot.${spot}`), seat }) : word('place.seat', { seat });
}

/** A name such as `coin_stuck` in the words of the page, or with blanks where it has none. */
export function named(group, name) {
  const key = `${group}.${name}`;
  const said = word(key);
  return said === key ? String(name).replaceAll('_', ' ') : said;
}

/** What ends a hold: a void in one sentence, the rest by the hold; the table's own words where there are none. */
export function endsWords(hold, ends) {
  const own = word(`ends.${hold}`);
  return ends === 'a void' ? word('ends.void') : own === `ends.${hold}` ? ends : own;
}

/** A line that is tried, such as `key.lock` or `lamp.3`, in words. */
export function lineWords(line) {
  const [kind, name] = line.split('.');
  return name ? `${named('tried', kind)} ${named('key', name)}` : line;
}

/** An alarm in words, with its place. */
export function alarmWords(alarm) {
  return [named('alarm', alarm.alarm), placeWords(alarm.place)].filter(Boolean).join(', ');
}

/** Whether what an alarm told is over; it stays until somebody has acknowledged it. */
export function isOver(state, alarm) {
  return state.over.some((one) => one.alarm === alarm.alarm && one.place === alarm.place);
}

/** An alarm as something to see to, {kind, words}: one that is over looks less like one. */
export function alarmNeed(state, alarm) {
  return isOver(state, alarm) ? { kind: 'info', words: word('alarm.over', { alarm: alarmWords(alarm) }) } : { kind: 'warn', words: alarmWords(alarm) };
}

/** What needs somebody at a table: [{weight, kind, form, words}], the most pressing first. */
export function needs(table) {
  const known = tables.get(table);
  const old = age(table);
  const found = [];
  const add = (weight, kind, words, form = kind) => found.push({ weight, kind, form, words });
  if (old === 'refused') add(100, 'bad', word('need.refused'), 'lock');
  else if (old === 'offline') add(90, 'bad', word('need.offline'));
  else if (old === 'stale') add(40, 'warn', word('need.stale', { time: time(known.ageMs()) }));
  const state = known?.state;
  if (!state) return found;
  const waiting = state.awards.filter((award) => award.status === 'waits');
  if (waiting.length) {
    const cents = waiting.reduce((sum, award) => sum + award.cents, 0);
    add(80, 'bad', word('need.awards', { number: waiting.length, amount: money(cents) }), 'coin');
  }
  for (const hold of state.holds) {
    if (hold !== 'jackpot_hold' || !waiting.length) add(70, 'bad', named('hold', hold), 'hold');
  }
  for (const line of unwell(state)) add(60, 'bad', word(`health.${line}`));
  if (!state.shoe && !state.holds.includes('shoe_lost')) add(50, 'warn', word('need.shoe'));
  for (const alarm of openAlarms(state)) {
    if (state.holds.includes(alarm.alarm)) continue;
    const { kind, words } = alarmNeed(state, alarm);
    add(kind === 'warn' ? 30 : 8, kind, words);
  }
  if (state.deck_due) add(28, 'warn', word('need.deck'));
  if (state.stub_due) add(26, 'warn', word('need.stub'));
  for (const one of state.owed) {
    if (one.hold) add(10, 'info', word('need.withheld', { document: one.document, amount: money(one.cents) }));
    else add(20, 'warn', word('need.owed', { document: one.document, amount: money(one.cents) }), 'coin');
  }
  if (state.trial) add(15, 'warn', word('need.trial', { operator: state.trial.operator }));
  return found.sort((one, other) => other.weight - one.weight);
}

/** What is left of a time limit, in whole seconds; null where none runs. */
export function secondsLeft(table) {
  const left = tables.get(table)?.leftMs() ?? null;
  return left === null ? null : Math.ceil(left / 1000);
}
