// The felt of a table as the dealer sees it, seat 1 at his left; what lies face down is a back here too.

import { cardBack, cardFace } from '../cards.js';
import { html, nothing } from '../lit-html.js';
import { amount, word } from '../table.js';
import { shape } from './shapes.js';

const SPOTS = ['ante', 'raise', 'bonus'];
const VERBS = { win: 'well', lose: 'bad', push: 'info', refund: 'info', waits: 'warn' };

function resultOf(text) {
  const [verb, sum] = (text ?? 'none').split(' ');
  if (!VERBS[verb]) return nothing;
  return html`<dd class="result ${VERBS[verb]}">${word(`result.${verb}`)}${sum ? html` <span class="digits">${amount(Number(sum.replace('.', '')))}</span>` : nothing}</dd>`;
}

function stake(seat, spot) {
  const { chips, cents } = seat[spot];
  const result = resultOf(seat.results[spot]);
  if (!cents && !chips && result === nothing) return nothing;
  return html`<div class="stake"><dt>${word(`spot.${spot}`)}</dt><dd class="digits">${cents ? amount(cents) : chips ? word('stake.not-keyed') : ''}</dd>${result}</div>`;
}

function coin(seat) {
  const result = resultOf(seat.results.coin);
  if (seat.coin === 'none' && result === nothing) return nothing;
  const dark = seat.coin === 'bet' && seat.lamp === 'off';
  const back = seat.coin === 'returned';
  const words = back ? 'coin.returned' : seat.lamp_dead ? 'coin.lamp-dead' : dark ? 'coin.dark' : 'coin.lit';
  const kind = words === 'coin.lit' ? 'warn' : 'info';
  return html`<div class="stake"><dt><span class="state ${kind}">${shape(dark || back ? 'off' : 'coin')}<span>${word(words)}</span></span></dt>${result}</div>`;
}

function seatOf(seat) {
  const taken = seat.ante.cents || seat.ante.chips || seat.coin !== 'none';
  const standing = seat.dead ? 'dead' : seat.folded ? 'folded' : '';
  return html`
    <li class="seat ${taken ? 'taken' : 'empty'} ${standing}">
      <div class="seat-head"><span class="hidden-words">${word('place.seat', { seat: '' })}</span><span class="seat-number digits">${seat.seat}</span>
        ${standing ? html`<span class="standing">${word(`seat.${standing}`)}</span>` : taken ? nothing : html`<span class="quiet">${word('seat.empty')}</span>`}</div>
      ${seat.cards.length ? html`<div class="hand">${seat.cards.map((card) => (card ? cardFace(card) : cardBack()))}</div>` : nothing}
      <dl>${SPOTS.map((spot) => stake(seat, spot))}${coin(seat)}</dl>
    </li>`;
}

/** The seats and the dealer's cards. */
export function seats({ state }) {
  const { dealer } = state;
  const verdict = dealer.qualifies == null ? '' : word(dealer.qualifies ? 'dealer.qualifies' : 'dealer.not');
  return html`
    <section class="felt" aria-label=${word('felt')}>
      <ol class="seats">${state.seats.map(seatOf)}</ol>
      <div class="dealer-row">
        <p class="dealer-name">${word('dealer.hand')}</p>
        <div class="hand">${dealer.cards.map((card) => (card ? cardFace(card) : cardBack()))}</div>
        <p class="verdict">${[dealer.hand, verdict].filter(Boolean).join(', ')}</p>
        <p class="quiet cards-out">${word('cards.out', { out: state.cards_out, rack: state.rack })}${state.doubt ? html` <strong>${word('cards.doubt')}</strong>` : nothing}${state.phase === 'idle' && state.round ? html` <strong>${word('felt.over')}</strong>` : nothing}</p>
      </div>
    </section>`;
}
