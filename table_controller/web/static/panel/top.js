// The head of the panel: where the round stands, how old the data are, and what needs somebody.

import { html, nothing } from '../lit-html.js';
import { count, money, OFFLINE_MS, STALE_MS, word } from '../table.js';
import { offersLately, openSheet, refusedNow, speak, ui } from './desk.js';
import { mark } from './marks.js';
import { decisionRefused, hold, known, lineWords, notices, openAlarms, phaseTone, placeWords, royalSeats, secondsLeft, toTry } from './model.js';
import { handsMissing } from './steps.js';

/** Phase, round, light and time left, meter, dealer on duty, age of the data. */
export function head(now) {
  const { state } = now;
  const [name, tone] = phaseTone(state);
  const ageMs = now.ageMs();
  const left = secondsLeft(now);
  return html`
    <header class="head">
      <h1 class="phase ${tone}">${mark(tone)}<span>${word(`phase.${name}`, {})}</span></h1>
      ${state.light === 'off' ? nothing : html`
        <div class="light ${state.light}">${mark(state.light)}<span>${word(`light.${state.light}`, {})}</span>
          ${left === null ? nothing : html`<strong class="digits">${word('seconds', { n: count(left) })}</strong>`}</div>`}
      ${state.meter === null ? nothing : html`
        <p class="meter"><span class="quiet">${word('meter', {})}</span> <strong class="digits">${money(state.meter.cents)}</strong></p>`}
      <p class="round"><span class="quiet">${ui.table}</span> <span class="digits">${shortRound(state.round)}</span></p>
      ${age(now, ageMs)}
      <button type="button" class="key duty" @click=${() => openSheet('duty')}>
        <span class="quiet">${word('duty.dealer', {})}</span> ${state.on_duty || word('duty.nobody', {})}</button>
    </header>`;
}

// Table, day and time stand on every paper; the dealer needs the number that the round before had not.
function shortRound(round) {
  const parts = round.split('-');
  return parts.length > 3 ? `${parts.at(-2).replace(/(..)(..)(..)/, '$1:$2')} · ${word('round', { number: count(Number(parts.at(-1))) })}` : round;
}

function age(now, ageMs) {
  if (now.refused) return html`<p class="age bad">${mark('bad')}${word('age.refused', {})}</p>`;
  if (ageMs >= OFFLINE_MS) return html`<p class="age bad">${mark('bad')}${word('age.offline', { s: count(Math.floor(ageMs / 1000)) })}</p>`;
  if (ageMs >= STALE_MS) return html`<p class="age warn">${mark('warn')}${word('age.stale', { s: count(Math.floor(ageMs / 1000)) })}</p>`;
  return html`<p class="age well">${mark('well')}${word('age.live', {})}</p>`;
}

/** Holds, notices, alarms and what was refused, each said aloud once. */
export function needs(now) {
  const { state, house } = now;
  const { refused, known: answered } = refusedNow();
  const reveal = { possible: answered && !refused, hands: handsMissing(refused) };
  return html`
    <div class="needs">
      <div class="holds" role="alert">${awards(state)}${state.holds.filter((name) => !aboutAward(state, name)).map((name) => holdBanner(hold(state, name)))}</div>
      <div aria-live="polite">
        ${now.ageMs() >= OFFLINE_MS ? notice('bad', html`<strong>${word('age.offline_long', {})}</strong>`) : nothing}
        ${relief(state)}
        ${state.trial ? trial(state) : nothing}
        ${notices(state, house, reveal).map((one) => notice(one.tone, word(one.key, one.values ?? {}), one.act))}
        ${alarms(now)}
      </div>
      <div role="alert">${ui.refusal && !ui.sheet ? html`
        <div class="notice bad refusal">${mark('bad')}<p><strong>${word('refused', {})}</strong> ${ui.refusal}</p></div>` : nothing}</div>
      ${more()}
    </div>`;
}

/** The key that stands over what is scrolled as long as there is more of it below. */
export function more() {
  const on = (event) => {
    const box = event.currentTarget.parentElement;
    box.scrollBy({ top: box.clientHeight / 2 });
  };
  return html`<button type="button" class="key more" hidden @click=${on}>${mark('lose')}${word('more', {})}</button>`;
}

function holdBanner(one) {
  return html`
    <div class="notice bad hold">
      ${mark('bad')}
      <p><strong>${word('hold', { what: one.places ? `${one.what} (${one.places})` : one.what })}</strong> ${word('hold.ends', { who: one.who, ends: one.ends })}</p>
      ${one.way ? html`<button type="button" class="key" @click=${() => openSheet('irregular', { what: one.way })}>${word(`say.${one.way}`, {})}</button>` : nothing}
      <button type="button" class="key grave" @click=${() => openSheet('supervisor')}>${word('supervisor.call', {})}</button>
    </div>`;
}

const ACTS = { stub: 'say.stub', tokens: 'say.tokens', hand: 'say.hand', supervisor: 'supervisor.call' };

function notice(tone, content, act) {
  const open = () => (act === 'supervisor' ? openSheet('supervisor') : openSheet('irregular', { what: act }));
  return html`<div class="notice ${tone}">${mark(tone)}<p>${content}</p>
    ${act ? html`<button type="button" class="key" @click=${open}>${word(ACTS[act], {})}</button>` : nothing}</div>`;
}

// Somebody else is on duty at the table than whoever is logged in here: asked, never assumed.
function relief(state) {
  const me = ui.operator;
  if (!me || me.role !== 'dealer' || state.on_duty === me.name) return nothing;
  const text = state.on_duty ? word('duty.other', { other: state.on_duty, me: me.name }) : word('duty.none', { me: me.name });
  return html`<div class="notice info">${mark('info')}<p>${text}</p>
    <button type="button" class="key" ?disabled=${ui.busy.size > 0} @click=${() => speak({ type: 'LogOn' }, { round: '' })}>${word('duty.on', {})}</button></div>`;
}

function trial(state) {
  const { operator, seat, failed } = state.trial;
  const left = toTry(state);
  const text = [
    word('trial', { operator }),
    seat ? word('trial.lit', { seat }) : '',
    failed.length ? word('trial.failed', { lines: failed.map(lineWords).join(', ') }) : '',
    left.length ? word('trial.left', { lines: left.map(lineWords).join(', ') }) : word('trial.all', {}),
  ];
  return html`<div class="notice warn trial">${mark('warn')}<p>${text.filter(Boolean).join(' ')}</p>
    ${state.meter === null ? nothing : html`
      ${seat ? html`<button type="button" class="key primary" @click=${() => speak({ type: 'LampSeen', seat })}>${word('trial.seen', { seat })}</button>` : nothing}
      <button type="button" class="key" @click=${() => speak({ type: 'TrySeat', seat: seat % state.seats.length + 1 })}>${word('trial.try', { seat: seat % state.seats.length + 1 })}</button>`}
  </div>`;
}

// A hold for an award is told with the award, so that there is one banner and not two.
function aboutAward(state, name) {
  return name.startsWith('jackpot_') && state.awards.some((one) => one.status === 'waits');
}

// One banner for all awards, so that the seats stay in sight: a line each, with its own keys.
function awards(state) {
  const waiting = state.awards.filter((one) => one.status === 'waits');
  if (!waiting.length) return nothing;
  const held = state.holds.some((name) => aboutAward(state, name));
  const list = offersLately();
  const own = waiting.filter((one) => one.kind !== 'share');
  const uncounted = own.map((one) => decisionRefused(list, 'ConfirmAward', one.seat)).find(Boolean);
  const counted = list && own.length && !uncounted;
  const many = waiting.length > 1;
  return html`
    <div class="notice award ${held ? 'bad hold' : 'warn'} ${many ? 'many' : ''}">${mark('waits')}
      ${many ? html`<p><strong>${word(held ? 'awards.hold' : 'awards.wait', {})}</strong> <span class="by-two">${word('award.two', {})}</span>
          ${uncounted ? html`<span class="why-not">${word('award.not_yet', { why: uncounted })}</span>` : nothing}</p>
        ${countKey(held && !counted)}
        <ul class="award-list">${waiting.map((one) => html`<li class="award-line"><p>${awardWords(state, one, 'award.line')}</p>${decisions(list, one, true)}</li>`)}</ul>`
        : html`<p>${awardWords(state, waiting[0], held ? 'award.hold' : 'award.waits')}
            ${waiting[0].first_operator ? nothing : html`<span class="by-two">${word('award.two', {})}</span>`}
            ${uncounted ? html`<span class="why-not">${word('award.not_yet', { why: uncounted })}</span>` : nothing}</p>
          ${countKey(held && !counted)}${decisions(list, waiting[0], false)}`}
    </div>`;
}

function countKey(shown) {
  return shown ? html`<button type="button" class="key" @click=${() => openSheet('irregular', { what: 'stub' })}>${word('say.stub', {})}</button>` : nothing;
}

// What waits and who has spoken already; a share of a royal is decided with the royal.
function awardWords(state, one, key) {
  const share = one.kind === 'share';
  const values = { seat: one.seat, amount: money(one.cents), hand: share ? word('award.share', { seat: royalSeats(state) }) : known(`hand.${one.hand}`, one.hand) };
  return html`<strong>${word(key, values)}</strong>
    ${share ? html`<span class="first">${word('award.with', { seat: royalSeats(state) })}</span>`
      : one.first_operator ? html`<span class="first">${word(`award.first.${one.first_decision}`, { name: one.first_operator })}</span>` : nothing}`;
}

function decisions(list, one, short) {
  if (one.kind === 'share') return nothing;
  const place = placeWords(String(one.seat));
  const key = (type, fields) => html`<button type="button" class="key ${type === 'ConfirmAward' ? 'strong' : ''}" ?disabled=${Boolean(decisionRefused(list, type, one.seat))}
      aria-label=${word(`act.${type}`, { place })} @click=${() => openSheet('supervisor', { command: { type, seat: one.seat, ...fields } })}>${word(short ? `short.${type}` : `act.${type}`, { place })}</button>`;
  return html`${key('RejectAward', {})}${key('ConfirmAward', { camera: '' })}`;
}

function alarms(now) {
  const { state } = now;
  if (!state.alarms.length || state.phase === 'idle') return nothing;
  // What holds the table stands in the banner of the hold already.
  const said = openAlarms(state).filter((one) => !state.holds.includes(one.alarm));
  if (!said.length) return nothing;
  const present = said.filter((one) => !one.past);
  const past = said.filter((one) => one.past);
  return html`<div class="notice alarms ${present.length ? '' : 'past'}">${mark(present.length ? 'warn' : 'done')}
    <p>${present.length ? html`<strong>${word('alarms.line', {})}</strong> ${present.map((one) => one.text).join(' · ')}` : nothing}
      ${past.length ? html`<span class="past"><strong>${word('alarms.past', {})}</strong> ${past.map((one) => one.text).join(' · ')}</span>` : nothing}</p>
    <button type="button" class="key" @click=${() => openSheet('alarms')}>${word('alarms.open', {})}</button></div>`;
}
