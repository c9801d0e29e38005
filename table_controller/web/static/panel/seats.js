// The table as the dealer sees it: seat 1 at his left hand, the seats in an arc before him, his own cards nearest.

import { cardBack, cardFace } from '../cards.js';
import { html, nothing } from '../lit-html.js';
import { amount, word } from '../table.js';
import { isBusy, openSheet, picture, repaint, settle, speak, ui } from './desk.js';
import { mark } from './marks.js';
import { hasBonus, hasCoin, inPlay, isOver, isPaying, lamp, stack, standing } from './model.js';
import { dealerCards } from './steps.js';

/** The seat map and the dealer's cards. */
export function felt(now) {
  const { state, house } = now;
  return html`
    <section class="felt ${state.phase}" aria-label=${word('felt', {})}>
      <ol class="arc of-${state.seats.length}">
        ${state.seats.map((seat) => seatView(now, state, house, seat))}
      </ol>
      ${isOver(state) || state.phase === 'betting' ? nothing : dealer(now)}
    </section>`;
}

function seatView(now, state, house, seat) {
  const how = standing(state, seat);
  const chosen = ui.spot?.seat === seat.seat;
  return html`
    <li class="seat at-${seat.seat} ${how} ${chosen ? 'chosen' : ''}" data-seat=${seat.seat}>
      <button type="button" class="seat-head" @click=${() => openSheet('irregular', { place: String(seat.seat), what: placeAct(state, seat) })}
        aria-label=${`${word('place.seat', { seat: seat.seat })}${how === 'empty' || how === 'in' ? '' : `, ${word(`seat.${how}`, {})}`}. ${word('seat.more', {})}`}>
        <span class="number digits">${seat.seat}</span>
        ${how === 'empty' || how === 'in' ? nothing : html`<span class="how ${how}">${mark(how)}<span>${word(`seat.${how}`, {})}</span></span>`}
      </button>
      ${seat.cards.length && !isOver(state) ? html`<p class="hand">${cards(seat.cards)}</p>` : nothing}
      ${isPaying(state) ? results(now, state, house, seat) : spots(state, house, seat, how)}
    </li>`;
}

function placeAct(state, seat) {
  if (state.phase === 'betting') return seat.coin === 'bet' ? 'coin' : 'claim';
  return inPlay(state) ? 'count' : 'claim';
}

function cards(list) {
  return list.map((card) => (card ? cardFace(card) : cardBack()));
}

function spots(state, house, seat, how) {
  if (state.trial) return hasCoin(house, state) ? coin(state, seat) : nothing;
  const play = inPlay(state);
  // In play a spot without a bet is of interest only when chips come to it.
  const shown = (name) => !play || seat[name].chips || seat[name].cents;
  const plays = !play || how !== 'empty';
  return html`
    ${play && (plays || shown('raise')) ? html`<div class="decide">
      ${spot(state, seat, 'raise')}
      ${how === 'undecided' ? html`<button type="button" class="key fold" aria-label=${word('fold.seat', { seat: seat.seat })}
          ?disabled=${isBusy({ type: 'Fold', seat: seat.seat }) || state.holds.length > 0}
          @click=${() => speak({ type: 'Fold', seat: seat.seat })}>${word('fold', {})}</button>` : nothing}
    </div>` : nothing}
    ${plays || shown('ante') ? spot(state, seat, 'ante') : nothing}
    ${hasBonus(house) && shown('bonus') ? spot(state, seat, 'bonus') : nothing}
    ${hasCoin(house, state) && (plays || seat.lamp !== 'off' || seat.coin !== 'none') ? coin(state, seat) : nothing}`;
}

function spot(state, seat, name) {
  const view = seat[name];
  const how = stack(state, view);
  const chosen = ui.spot?.seat === seat.seat && ui.spot.spot === name;
  const said = how === 'unkeyed' || how === 'left' ? word(`stack.${how}`, {}) : view.cents && !isOver(state) ? amount(view.cents) : '';
  // A spot can be keyed while bets are open, and in play for what is laid too late or is not twice.
  const shut = !(state.phase === 'betting' || inPlay(state));
  const aside = [word('place.seat', { seat: seat.seat }), said ? '' : word('stack.empty', {}), how === 'unseen' ? word('stack.unseen', {}) : ''];
  return html`<button type="button" class="spot ${name} ${how}" data-spot=${name} aria-pressed=${String(chosen)} ?disabled=${shut} @click=${() => choose(seat.seat, name)}>
      ${mark(how)}<span class="name">${word(`spot.${name}`, {})}</span><span class="hidden-words">, ${aside.filter(Boolean).join(', ')}</span>
      <span class="cents digits">${how === 'unseen' ? html`${mark('warn')}${said}` : said}</span></button>`;
}

function choose(seat, spotName) {
  const same = ui.spot?.seat === seat && ui.spot.spot === spotName;
  ui.spot = same ? null : { seat, spot: spotName };
  ui.entry = [];
  // In play the keying comes up only now, and moves what lies under the finger.
  if (inPlay(picture().state)) settle();
  repaint();
}

function coin(state, seat) {
  const view = lamp(state, seat);
  const text = word(`lamp.${view.key}`, {});
  const content = html`${mark(view.key)}<span class="name">${word('coin', {})}</span><span class="word">${text}</span>`;
  // Only before LOCK a token can be given back, so only then the lamp is a key.
  if (state.phase === 'betting' && seat.coin === 'bet') {
    return html`<button type="button" class="spot coin ${view.key} ${view.warn ? 'warned' : ''}"
      @click=${() => openSheet('irregular', { place: String(seat.seat), what: 'coin' })}>${content}<span class="hidden-words">, ${word('place.seat', { seat: seat.seat })}. ${word('say.coin', {})}</span></button>`;
  }
  return html`<p class="spot coin ${view.key} ${view.warn ? 'warned' : ''}">${content}</p>`;
}

function results(now, state, house, seat) {
  const due = now.dues?.find((one) => one.seat === seat.seat);
  const told = ['ante', 'raise', 'bonus', 'coin'].filter((name) => seat.results[name] && seat.results[name] !== 'none');
  return html`
    ${due?.pays_cents ? html`<p class="moves pays">${mark('win')}<span>${word('due.pay', {})}</span><strong class="digits">${amount(due.pays_cents)}</strong></p>` : nothing}
    ${due?.takes_cents ? html`<p class="moves takes">${mark('lose')}<span>${word('due.take', {})}</span><strong class="digits">${amount(due.takes_cents)}</strong></p>` : nothing}
    ${told.length ? html`<ul class="results">${told.map((name) => {
      const [verb] = seat.results[name].split(' ');
      return html`<li>${mark(verb)}<span>${word(name === 'coin' ? 'coin' : `spot.${name}`, {})}</span> <span>${word(`result.${verb}`, {})}</span></li>`;
    })}</ul>` : nothing}`;
}

function dealer(now) {
  const { dealer: view } = now.state;
  return html`
    <div class="dealer">
      <button type="button" class="seat-head" aria-label=${`${word('place.dealer', {})}. ${word('seat.more', {})}`}
        @click=${() => openSheet('irregular', { place: 'D', what: 'count' })}><span class="number">${word('dealer', {})}</span></button>
      <p class="hand">${cards(dealerCards(now))}</p>
      ${view.hand ? html`<p class="made"><strong>${view.hand}</strong>
        ${view.qualifies === null ? nothing : html`<span class="how ${view.qualifies ? 'plays' : 'not'}">${mark(view.qualifies ? 'well' : 'warn')}<span>${word(view.qualifies ? 'qualifies' : 'qualifies.not', {})}</span></span>`}</p>` : nothing}
    </div>`;
}
