// The dealer's panel: everything about the phase that stands, and nothing else.

import { html, nothing, render } from './lit-html.js';
import { count, follow, logout, money, OFFLINE_MS, operator, ready, tables, word } from './table.js';
import { closeSheet, isBusy, offersLately, openSheet, paintWith, picture, pictureCame, refusedNow, refuse, repaint, settle, speak, ui } from './panel/desk.js';
import { allDone, dues } from './panel/dues.js';
import { mark } from './panel/marks.js';
import { decisionRefused, inPlay, isPaying, KEY_OF_PHASE, openAlarms, spotsWords, stuckRaises, unkeyed } from './panel/model.js';
import { pad } from './panel/pad.js';
import { felt } from './panel/seats.js';
import { statementSheet, stillStateable } from './panel/statements.js';
import { nextStep } from './panel/steps.js';
import { supervisorSheet } from './panel/supervisor.js';
import { head, more, needs } from './panel/top.js';

const NEWS_FROM_MS = 2000;
// The empty edge of what is scrolled, in CSS pixels: nothing stands there.
const EDGE = 16;
const root = document.getElementById('panel');
let scene = '';
let asked = false;
let heard = null;

function view() {
  const now = picture();
  if (!now?.state) return waiting(now);
  const { state } = now;
  notice(now);
  const trial = state.shown === 'trial';
  const keying = state.phase === 'betting' || ui.spot;
  const offline = now.ageMs() >= OFFLINE_MS;
  return html`
    ${head(now)}
    ${needs(now)}
    <main class=${offline ? 'offline' : ''}>${felt(now)}${more()}</main>
    ${isPaying(state) ? dues(now) : keying && !trial && !offline ? pad(now) : nothing}
    ${bar(now, trial, offline)}
    ${sheet(now)}`;
}

// Before the first picture there is nothing that can be done but to wait or to load the page again.
function waiting(now) {
  return html`<main class="waiting"><div>
    <h1>${word('panel', {})}</h1>
    <p role="status">${now?.refused ? word('age.refused', {}) : word('waiting', { table: ui.table })}</p>
    ${tables.size > 1 ? html`<p class="keys">${[...tables.keys()].map((name) => html`<a class="key" href=${`/panel?table=${encodeURIComponent(name)}`}>${name}</a>`)}</p>` : nothing}
    <p><button type="button" class="key" @click=${() => location.reload()}>${word('reload', {})}</button></p></div></main>`;
}

// What the page keeps for itself ends with the phase that it was about.
function notice(now) {
  const { state } = now;
  if (ui.sheet?.kind === 'irregular' && ui.sheet.round === state.round && !stillStateable(state, now.house)) {
    over(word('sheet.ended', { what: word(`say.${ui.sheet.what}`, {}) }));
  }
  const next = `${state.round} ${state.phase} ${state.shown === 'trial'}`;
  if (next === scene) return;
  const first = !scene;
  scene = next;
  ui.spot = null;
  ui.entry = [];
  if (ui.sheet?.kind === 'irregular' && ui.sheet.round !== state.round) {
    over(word('sheet.over', {}));
  }
  if (!first) settle();
}

// The sheet goes while the page is painted; why is said with the next painting.
function over(text) {
  ui.sheet = null;
  settle();
  queueMicrotask(() => refuse(text));
}

function bar(now, trial, offline) {
  const { state } = now;
  const name = KEY_OF_PHASE[state.phase];
  const command = { type: 'PressKey', key: name };
  const refused = trial ? '' : refusedNow().refused;
  const step = nextStep(now, { refused, counted: deckCounted(state), done: isPaying(state) && allDone(now), key: word(`key.${name}`, {}) });
  // While cards are dealt CLOSE is to come: why it is not yet needs no words. What ends a hold is said already.
  const whole = state.phase === 'dealing' || state.holds.length || !refused ? '' : word('not.yet', { key: word(`key.${name}`, {}), why: refused });
  const why = whole === step ? '' : whole;
  return html`
    <footer class="bar" ?inert=${offline}>
      <button type="button" class="key irregular" @click=${() => openSheet('irregular')}>${mark('warn')}${word('irregular', {})}</button>
      <button type="button" class="key" @click=${() => openSheet('supervisor')}>${word('supervisor.key', {})}</button>
      <p class="step" aria-live="polite">${offline ? nothing : html`<strong>${step}</strong>`}
        ${offline ? nothing : notKeyed(state, now.house)}
        ${why && !offline ? html`<span class="why-not">${why}</span>` : nothing}</p>
      ${trial ? nothing : html`<button type="button" class="key primary press" data-key=${name}
        ?disabled=${offline || Boolean(refused) || state.holds.length > 0 || isBusy(command) || state.phase === 'dealing'} @click=${() => speak(command)}>${word(`key.${name}`, {})}</button>`}
    </footer>`;
}

// The table decides when the deck has been counted; what it would take of an award tells so.
function deckCounted(state) {
  const list = offersLately();
  const waiting = state.awards.filter((one) => one.status === 'waits' && one.kind !== 'share');
  return Boolean(list) && waiting.every((one) => !decisionRefused(list, 'ConfirmAward', one.seat));
}

// What LOCK makes of chips without an amount is said before it is pressed.
function notKeyed(state, house) {
  const raises = state.phase === 'betting' || inPlay(state) ? stuckRaises(state) : [];
  const { groups, doubt } = state.phase === 'betting' ? unkeyed(state, house, ui.free.spots) : { groups: [], doubt: raises };
  const lines = groups.map(({ cents, bets }) => word(`unkeyed.${cents ? 'counts' : 'no_bet'}.${bets.length > 1 ? 'many' : 'one'}`,
    { n: count(bets.length), amount: money(cents), places: spotsWords(bets) }));
  if (doubt.length) lines.push(word('unkeyed.doubt', { places: spotsWords(doubt) }));
  // A raise is keyed only once the cards are out.
  if (raises.length && state.phase === 'betting') lines.push(word('unkeyed.doubt.raise', { places: spotsWords(raises) }));
  return lines.map((line) => html`<span class="not-keyed">${line}</span>`);
}

const SHEETS = { irregular: statementSheet, supervisor: supervisorSheet, alarms: alarmSheet, duty: dutySheet };

function sheet(now) {
  return html`
    <dialog id="sheet" class=${ui.sheet ? `sheet-${ui.sheet.kind}` : ''} aria-labelledby="sheet-title" @cancel=${(event) => { event.preventDefault(); closeSheet(); }}>
      ${ui.sheet ? html`
        <button type="button" class="key close" @click=${closeSheet}>${mark('cross')}${word('close', {})}</button>
        ${SHEETS[ui.sheet.kind](now)}
        <div role="alert">${ui.refusal ? html`<div class="notice bad refusal">${mark('bad')}<p><strong>${word('refused', {})}</strong> ${ui.refusal}</p></div>` : nothing}</div>` : nothing}
    </dialog>`;
}

function alarmSheet(now) {
  const open = openAlarms(now.state);
  const mine = open.filter((one) => one.mine);
  return html`<h2 id="sheet-title">${word('alarms', {})}</h2>
    ${mine.length > 1 ? html`<p class="keys"><button type="button" class="key strong" ?disabled=${ui.busy.size > 0} @click=${() => seeAll(mine)}>${word('alarm.all', {})}</button></p>` : nothing}
    <ul class="alarm-list">${open.map((one) => html`<li class=${one.past ? 'past' : ''}>
      <span>${one.text}</span>
      ${one.mine ? html`<button type="button" class="key" ?disabled=${ui.busy.size > 0} @click=${() => speak({ type: 'ClearAlarm', alarm: one.alarm, place: one.place }, { round: ui.sheet.round })}>${word('alarm.seen', {})}</button>`
        : html`<span class="quiet">${word('alarm.supervisor', {})}</span>`}</li>`)}</ul>`;
}

// One after the other; what the table refuses stays in the list, and the first reason is shown.
async function seeAll(mine) {
  const { round } = ui.sheet;
  let why = '';
  for (const { alarm, place } of mine) {
    const answer = await speak({ type: 'ClearAlarm', alarm, place }, { round });
    if (answer && !answer.ok) why ||= answer.error;
  }
  if (why) refuse(why);
}

function dutySheet(now) {
  const { on_duty: dealing } = now.state;
  const me = ui.operator?.name;
  return html`<h2 id="sheet-title">${word('duty', {})}</h2>
    <p>${dealing ? word('duty.deals', { name: dealing }) : word('duty.nobody_deals', {})} ${me ? word('duty.here', { name: me }) : nothing}</p>
    <div class="keys">
      ${me && me !== dealing ? html`<button type="button" class="key strong" ?disabled=${ui.busy.size > 0} @click=${() => duty('LogOn')}>${word('duty.on', {})}</button>` : nothing}
      ${dealing && (me === dealing || ui.operator?.role === 'supervisor') ? html`<button type="button" class="key" ?disabled=${ui.busy.size > 0} @click=${() => duty('LogOff')}>${word('duty.off', {})}</button>` : nothing}
      <button type="button" class="key" @click=${() => logout()}>${word('logout', {})}</button>
      <button type="button" class="key" @click=${() => location.reload()}>${word('reload', {})}</button>
    </div>`;
}

async function duty(type) {
  const answer = await speak({ type }, { round: '' });
  if (answer?.ok) closeSheet();
}

let onKey = false;

// A key that is shut for a moment loses the focus; whoever works with the keyboard finds it there again.
function keepFocus() {
  const press = document.querySelector('.press');
  if (document.activeElement !== document.body) onKey = document.activeElement === press;
  else if (onKey && press && !press.disabled) press.focus();
}

function paint() {
  keepFocus();
  render(view(), root);
  keepFocus();
  hintAtMore();
  const dialog = document.getElementById('sheet');
  if (!dialog) return;
  if (ui.sheet && !dialog.open) dialog.showModal();
  if (!ui.sheet && dialog.open) dialog.close();
}

// What does not fit is scrolled, and a key says that there is more of it.
function hintAtMore() {
  for (const key of document.querySelectorAll('.more')) {
    const { scrollHeight, clientHeight, scrollTop } = key.parentElement;
    key.hidden = scrollHeight - clientHeight - scrollTop < EDGE;
  }
}

document.addEventListener('scroll', hintAtMore, { capture: true, passive: true });
window.addEventListener('resize', hintAtMore);

// Somebody else is on duty: whoever opens the panel as a dealer is asked once whether he relieves him.
function askRelief() {
  const { state } = picture();
  if (asked) return;
  asked = true;
  if (ui.operator?.role === 'dealer' && state.on_duty && state.on_duty !== ui.operator.name) openSheet('duty');
}

// A key that is held down is one press.
document.addEventListener('keydown', (event) => {
  if (event.repeat && (event.key === 'Enter' || event.key === ' ') && event.target.closest('button')) event.preventDefault();
});

// What the key pad of the table was refused is seen here too: the dealer looks at this page.
// A stream begins with facts of late; those are no news.
function hear() {
  const last = picture().facts.at(-1);
  const fresh = heard !== null && last !== heard && performance.now() > NEWS_FROM_MS;
  heard = last ?? undefined;
  if (fresh && last.fact.type === 'KeyRefused' && !ui.busy.size) refuse(last.fact.reason);
}

async function start() {
  ui.config = await ready('panel');
  ui.operator = operator();
  const wanted = new URLSearchParams(location.search).get('table');
  ui.table = wanted ?? ui.config.tables[0] ?? '';
  document.title = `${word('panel', {})} ${ui.table}`;
  paintWith(paint);
  repaint();
  follow((name) => {
    if (name !== undefined && name !== ui.table) return;
    if (picture()?.state) {
      pictureCame();
      hear();
      askRelief();
    }
    repaint();
  });
}

start();
