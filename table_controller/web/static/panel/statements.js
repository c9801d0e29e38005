// What the dealer states when something is not as it should be: first what it is, then the card, place or number.
// The cards that can be tapped are always all of them: this page does not know which are out and must not tell.

import { cardFace, cardName, cardSlot, picker } from '../cards.js';
import { html, nothing } from '../lit-html.js';
import { count, word } from '../table.js';
import { closeSheet, isBusy, picture, repaint, speak, ui } from './desk.js';
import { mark } from './marks.js';
import { inPlay, isOver, placeWords } from './model.js';
import { unreadPlace } from './steps.js';

const HAND = 5;
const COUNTS = [0, 1, 2, 3, 4, 5, 6, 7];
const DECK = 52;
const READING = ['unreadable_card', 'frame_lost'];

/** What can be stated in this phase, by the names of the words. It hangs on nothing that lies face down. */
export function stateable(state, house) {
  const play = inPlay(state);
  return [
    ...(play ? ['count', 'exposed', 'move', 'discard', 'upcard'] : []),
    ...(play || state.holds.some((name) => READING.includes(name)) ? ['rescan'] : []),
    ...(state.phase === 'revealing' ? ['hand'] : []),
    ...(state.phase === 'betting' && state.meter !== null ? ['coin'] : []),
    ...(state.phase === 'dealing' && house?.rules?.token_count === 'required' ? ['tokens'] : []),
    'stub',
    ...(state.meter !== null && !isOver(state) ? ['claim'] : []),
  ];
}

/**
 * Fixes what an opened sheet is about, once: the first form lies open, so that what happens most is two taps away.
 * Returns whether the sheet can still be said; it never turns into another one under the finger.
 */
export function stillStateable(state, house) {
  const { sheet } = ui;
  const list = stateable(state, house);
  if (sheet.fixed === undefined) {
    sheet.fixed = true;
    if (sheet.what === undefined) sheet.what = list[0];
    else if (!list.includes(sheet.what)) sheet.what = '';
  }
  // What is under way has been said: its own answer closes the sheet.
  return !sheet.what || list.includes(sheet.what) || ui.busy.size > 0;
}

/** The sheet of statements. */
export function statementSheet(now) {
  const { state, house } = now;
  const sheet = ui.sheet;
  const list = stateable(state, house);
  const { what } = sheet;
  return html`
    <h2 id="sheet-title">${sheet.place ? html`${placeWords(sheet.place)}: ` : nothing}${word(what ? `say.${what}` : 'irregular', {})}</h2>
    <div class="statement">
      <div class="kinds" role="group" aria-label=${word('irregular', {})}>
        ${list.map((name) => html`<button type="button" class="key" data-what=${name} aria-pressed=${String(name === what)} @click=${() => choose(name)}>${word(`say.${name}`, {})}</button>`)}
      </div>
      <div class="what">
        <p class="quiet">${word(what ? `how.${what}` : 'how.choose', {})}</p>
        ${what ? FORMS[what](state, house) : nothing}
      </div>
    </div>`;
}

function choose(what) {
  ui.sheet = { kind: 'irregular', round: ui.sheet.round, place: ui.sheet.place, what, fixed: true };
  ui.refusal = '';
  repaint();
}

async function state(command) {
  const sheet = ui.sheet;
  const answer = await speak(command, { round: sheet.round });
  if (answer?.ok && ui.sheet === sheet) closeSheet();
}

function places(rack = false) {
  const seats = picture().state.seats.map((seat) => String(seat.seat));
  return [...seats, 'D', ...(rack ? ['X'] : [])];
}

function placeKeys(list, onPlace, chosen = '') {
  return html`<div class="keys">${list.map((place) => html`
    <button type="button" class="key place" data-place=${place} aria-pressed=${String(place === chosen)} ?disabled=${ui.busy.size > 0} @click=${() => onPlace(place)}>${placeWords(place)}</button>`)}</div>`;
}

function oneCard(make) {
  return picker({ onPick: (card) => state(make(card)), joker: true });
}

const FORMS = {
  count: () => {
    const rows = ui.sheet.place ? [ui.sheet.place] : places();
    return html`<div class="counts">${rows.map((place) => html`
      <div class="count-row" role="group" aria-label=${word('count.of', { place: placeWords(place) })}>
        <span class="count-place">${placeWords(place)}</span>
        ${COUNTS.map((cards) => html`<button type="button" class="key digits" data-count=${`${place} ${cards}`} ?disabled=${isBusy({ type: 'StateCount', place, cards })}
          aria-label=${word('count.cards', { place: placeWords(place), n: cards })} @click=${() => state({ type: 'StateCount', place, cards })}>${cards}</button>`)}
      </div>`)}</div>`;
  },
  exposed: () => oneCard((card) => ({ type: 'StateExposed', card })),
  discard: () => oneCard((card) => ({ type: 'DiscardCard', card })),
  upcard: () => oneCard((card) => ({ type: 'StateUpcard', card })),
  // A card that was read in cannot be taken back, so the tap chooses it and a key of its own says it.
  rescan: () => {
    const { card } = ui.sheet;
    const place = unreadPlace(picture());
    const values = { card: card ? cardName(card) : '', place: place ? placeWords(place) : '' };
    return html`
      <div class="chosen-hand">
        <div class="hand">${card ? cardFace(card) : cardSlot()}</div>
        <p class="asked" aria-live="polite">${word(!card ? 'rescan.tap' : place ? 'rescan.asked.at' : 'rescan.asked', values)}</p>
        <button type="button" class="key primary" ?disabled=${!card || ui.busy.size > 0} @click=${() => state({ type: 'RescanCard', card })}>${word('rescan.say', {})}</button>
      </div>
      ${picker({ picked: card ? [card] : [], joker: true, onPick: (text) => { ui.sheet = { ...ui.sheet, card: text }; repaint(); } })}`;
  },
  move: () => {
    const { card } = ui.sheet;
    return html`
      ${picker({ picked: card ? [card] : [], joker: true, onPick: (text) => { ui.sheet = { ...ui.sheet, card: text }; repaint(); } })}
      ${card ? html`<p class="asked">${word('move.where', {})}</p>${placeKeys(places(true), (place) => state({ type: 'MoveCard', card, place }))}` : nothing}`;
  },
  hand: () => {
    const { place = '', cards = [] } = ui.sheet;
    const full = cards.length === HAND;
    const pick = (text) => {
      const kept = cards.filter((one) => one !== text);
      if (kept.length === cards.length && full) return;
      ui.sheet = { ...ui.sheet, cards: kept.length === cards.length ? [...cards, text] : kept };
      repaint();
    };
    return html`
      ${placeKeys(places(), (chosen) => { ui.sheet = { ...ui.sheet, place: chosen }; repaint(); }, place)}
      <div class="chosen-hand">
        <p class="hand">${[0, 1, 2, 3, 4].map((at) => (cards[at] ? cardFace(cards[at]) : cardSlot()))}</p>
        <button type="button" class="key primary" ?disabled=${!full || !place || ui.busy.size > 0} @click=${() => state({ type: 'StateHand', place, cards })}>${place ? word('hand.say', { place: placeWords(place) }) : word('hand.place', {})}</button>
      </div>
      ${picker({ picked: cards, onPick: pick })}`;
  },
  tokens: () => numbers(2 * picture().state.seats.length + 1, (tokens) => ({ type: 'CountTokens', tokens })),
  stub: () => numbers(DECK + 1, (cards) => ({ type: 'CountStub', cards })),
  coin: (table) => seatKeys(table.seats.filter((seat) => seat.coin === 'bet'), 'ReturnCoin', 'coin.back'),
  claim: (table) => seatKeys(table.seats, 'Claim', 'claim.seat'),
};

function numbers(many, make) {
  return html`<div class="numbers">${Array.from({ length: many }, (_, n) => html`
    <button type="button" class="key digits" data-number=${n} ?disabled=${isBusy(make(n))} @click=${() => state(make(n))}>${count(n)}</button>`)}</div>`;
}

function seatKeys(seats, type, name) {
  const shown = ui.sheet.place ? seats.filter((seat) => String(seat.seat) === ui.sheet.place) : seats;
  if (!shown.length) return html`<p>${mark('info')} ${word(`${name}.none`, {})}</p>`;
  return html`<div class="keys">${shown.map((seat) => html`
    <button type="button" class="key" data-seat=${seat.seat} ?disabled=${isBusy({ type, seat: seat.seat })} @click=${() => state({ type, seat: seat.seat })}>${word(name, { seat: seat.seat })}</button>`)}</div>`;
}
