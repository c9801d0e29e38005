// The few words of a supervisor that cannot wait for his console, and what two people say of an award.
// Each is chosen from what the table would take now, looked at a second time, and said with name, PIN and reason.

import { html, nothing } from '../lit-html.js';
import { effect, money, STALE_MS, word } from '../table.js';
import { closeSheet, offers, offersLately, repaint, settle, speak, ui } from './desk.js';
import { mark } from './marks.js';
import { decisionRefused, placeWords } from './model.js';

const URGENT = ['VoidRound', 'DeadHand', 'KillHand', 'Resume', 'FoldShort', 'ReturnExcess', 'Withdraw', 'NewDeck'];
const AWARDS = ['ConfirmAward', 'RejectAward'];
const LOOK_AGAIN_MS = 900;
const REASONS = ['dealer', 'player', 'cards', 'equipment', 'dispute'];
const LETTERS = ['abcdefghi', 'jklmnopqr', 'stuvwxyz', '0123456789'];

/** A supervisor's word as a sentence. */
export function actWords(command) {
  const place = command.seat ? placeWords(String(command.seat)) : '';
  const cause = command.cause ? `.${command.cause}` : '';
  return word(`act.${command.type}${cause}`, { place, amount: command.cents === undefined ? '' : money(command.cents) });
}

/** The sheet: first what, then its effect with who says it and why. */
export function supervisorSheet(now) {
  return ui.sheet.command ? saying(now) : choosing(now);
}

function choosing(now) {
  const list = offers();
  const open = list?.filter((offer) => !offer.refused && [...URGENT, ...AWARDS].includes(offer.command.type)) ?? [];
  // What the table waits for stands first. What cannot be mended, a dead hand and a void round, stands last.
  const order = [...AWARDS, 'Resume', 'Withdraw', 'KillHand', 'FoldShort', 'ReturnExcess', 'NewDeck', 'DeadHand', 'VoidRound'];
  const sorted = [...open].sort((a, b) => order.indexOf(a.command.type) - order.indexOf(b.command.type));
  return html`
    <h2 id="sheet-title">${word('supervisor', {})}</h2>
    ${now.state.holds.length ? html`<p>${word('supervisor.holds', {})}</p>` : html`<p class="quiet">${word('supervisor.intro', {})}</p>`}
    <div class="acts">
      ${list === null ? html`<p role="status">${word('supervisor.asking', {})}</p>` : nothing}
      ${sorted.map(({ command }) => html`<button type="button" class="key ${['VoidRound', 'DeadHand'].includes(command.type) ? 'grave' : ''}" data-act=${command.type}
        @click=${() => choose(command)}>${actWords(command)}</button>`)}
      ${list && !sorted.length ? html`<p>${word('supervisor.nothing', {})}</p>` : nothing}
    </div>`;
}

function choose(command) {
  ui.sheet = { ...ui.sheet, command };
  ui.refusal = '';
  repaint();
}

// Whether the sentences of the sheet came, say something, and are about the moment that is painted.
function isSeen({ look }, now) {
  return Boolean(look?.lines.length) && look.boot === now.boot && look.seq === now.seq;
}

// Each painting looks again where the table has moved on since. What is under way is not looked at any more,
// and what came to nothing is tried again with the paintings of the next second.
async function lookAgain(sheet, now) {
  const rests = performance.now() < (sheet.restsUntil ?? 0);
  if (isSeen(sheet, now) || sheet.looking || rests || ui.busy.size || now.ageMs() >= STALE_MS) return;
  const { boot, seq } = now;
  sheet.looking = true;
  const lines = await effect(ui.table, sheet.command).then((answer) => answer?.lines ?? [], () => []);
  sheet.looking = false;
  if (ui.sheet !== sheet) return;
  if (!lines.length) sheet.restsUntil = performance.now() + LOOK_AGAIN_MS;
  else if (sheet.told && sheet.told !== lines.join('\n')) changed(sheet);
  sheet.told = lines.join('\n') || sheet.told;
  sheet.look = { boot, seq, lines };
  repaint();
}

// The PIN was typed for another effect than the one that is shown now.
function changed(sheet) {
  sheet.changed = true;
  sheet.pin = '';
  settle();
}

// How it stands with the look; empty where it is there, and where a word is under way.
function lookWords(sheet, now) {
  if (isSeen(sheet, now)) return sheet.changed ? word('effect.changed', {}) : '';
  if (ui.busy.size) return '';
  return word(sheet.looking ? 'supervisor.asking' : 'effect.none', {});
}

function field(name) {
  return (event) => { ui.sheet[name] = event.target.value; repaint(); };
}

function saying(now) {
  const sheet = ui.sheet;
  lookAgain(sheet, now);
  const award = AWARDS.includes(sheet.command.type);
  const refused = award ? decisionRefused(offersLately(), sheet.command.type, sheet.command.seat) : '';
  sheet.operator ??= award || ui.operator?.role === 'supervisor' ? ui.operator?.name ?? '' : '';
  const names = [...new Set([ui.operator?.name, now.state.on_duty, ...people()])].filter((name) => name && (award || name !== now.state.on_duty || ui.operator?.role === 'supervisor'));
  const ready = isSeen(sheet, now) && sheet.operator?.trim() && (sheet.pin ?? '').length >= 6 && (award || sheet.reason?.trim());
  const how = lookWords(sheet, now);
  return html`
    <h2 id="sheet-title">${actWords(sheet.command)}</h2>
    <form class="saying" autocomplete="off" @submit=${(event) => { event.preventDefault(); if (ready) say(); }}>
      <div class="second-look">
        <h3>${word('effect', {})}${how ? ': ' : ''}<span class=${sheet.changed ? 'why-not' : 'quiet'} role="status">${how}</span></h3>
        <ul>${(sheet.look?.lines ?? []).map((line) => html`<li>${line}</li>`)}</ul>
        ${refused ? html`<p class="why-not">${word('not.yet', { key: actWords(sheet.command), why: refused })}</p>` : nothing}
        ${sheet.command.type === 'NewDeck' ? input('deck', 'deck', 'text') : nothing}
        ${input('operator', 'name', 'text')}
        <div class="keys">${names.map((name) => html`<button type="button" class="key" aria-pressed=${String(name === sheet.operator)} @click=${() => set('operator', name)}>${name}</button>`)}
          <button type="button" class="key" aria-pressed=${String(Boolean(sheet.letters))} @click=${() => set('letters', !sheet.letters)}>${word('letters', {})}</button></div>
        ${sheet.letters ? letters() : nothing}
        ${award ? nothing : html`${input('reason', 'reason', 'text')}
          <div class="keys">${REASONS.map((name) => html`<button type="button" class="key" aria-pressed=${String(sheet.reason === word(`reason.${name}`, {}))} @click=${() => set('reason', word(`reason.${name}`, {}))}>${word(`reason.${name}`, {})}</button>`)}</div>`}
      </div>
      <div class="pin">
        ${input('pin', 'pin', 'password')}
        <div class="pin-keys" role="group" aria-label=${word('pin', {})}>
          ${['1', '2', '3', '4', '5', '6', '7', '8', '9'].map(digit)}
          <button type="button" class="key" aria-label=${word('pin.wipe', {})} @click=${() => set('pin', '')}>${mark('cross')}</button>
          ${digit('0')}
          <button type="button" class="key" aria-label=${word('pad.back', {})} @click=${() => set('pin', (sheet.pin ?? '').slice(0, -1))}>${mark('back')}</button>
        </div>
        <button type="submit" class="key primary" ?disabled=${!ready || ui.busy.size > 0}>${word('do', {})}</button>
        <button type="button" class="key" @click=${() => { ui.sheet = { kind: 'supervisor', round: sheet.round }; repaint(); }}>${word('other', {})}</button>
      </div>
    </form>`;
}

function input(name, label, type) {
  return html`<label>${word(`field.${label}`, {})}
    <input class="field" type=${type} name=${name} inputmode=${type === 'password' ? 'numeric' : 'text'} maxlength=${type === 'password' ? 12 : 200} autocomplete="off" autocapitalize="off" spellcheck="false"
      .value=${ui.sheet[name] ?? ''} @input=${field(name)}></label>`;
}

function set(name, value) {
  ui.sheet[name] = value;
  repaint();
}

function digit(text) {
  return html`<button type="button" class="key digits" @click=${() => set('pin', ((ui.sheet.pin ?? '') + text).slice(0, 12))}>${text}</button>`;
}

// A screen without a keyboard needs letters for a name that was not said here before.
function letters() {
  return html`<div class="letters" role="group" aria-label=${word('letters', {})}>${LETTERS.map((row) => html`<div>${[...row].map((letter) => html`
    <button type="button" class="key" @click=${() => set('operator', (ui.sheet.operator ?? '') + letter)}>${letter}</button>`)}</div>`)}
    <div><button type="button" class="key" @click=${() => set('operator', (ui.sheet.operator ?? '').slice(0, -1))}>${mark('back')}<span>${word('pad.back', {})}</span></button></div></div>`;
}

const PEOPLE = 'panel.people';

function people() {
  try {
    return JSON.parse(sessionStorage.getItem(PEOPLE)) ?? [];
  } catch {
    return [];
  }
}

function remember(name) {
  try {
    sessionStorage.setItem(PEOPLE, JSON.stringify([...new Set([name, ...people()])].slice(0, 4)));
  } catch {
    // The name is typed again next time.
  }
}

async function say() {
  const sheet = ui.sheet;
  const { round, operator, pin } = sheet;
  const command = sheet.command.type === 'NewDeck' ? { ...sheet.command, deck: (sheet.deck ?? '').trim() } : sheet.command;
  const answer = await speak(command, { round, operator: operator.trim(), pin, reason: (sheet.reason ?? '').trim() });
  if (ui.sheet !== sheet) return;
  sheet.pin = '';
  if (answer?.ok) {
    remember(operator.trim());
    closeSheet();
  }
  repaint();
}
