// The edge of the table in front of the person: chips, what is at stake, and the keys of the moment.
import { html, nothing } from '../lit-html.js';
import { word, money } from '../table.js';
import { again, acting, once, redraw } from './acts.js';
import { chipText, choose } from './seats.js';
import { IN_PLAY, SPOTS, betsOpen, doubling, limit, lying, model, nextStep, over, pile, seatOf, totalBet, undecided } from './model.js';

/** The rail: chips, total bet and balance, and the keys. */
export function rail() {
  const { chips, purses, solo, playing, hands_off: asked } = model.picture;
  const balance = purses[model.seat];
  if (!playing) {
    return html`<section class="rail" aria-label=${word('felt.rail')}><p class="now">${word(asked ? 'felt.players_finish' : 'felt.players_play')}</p>
      <div class="keys">${asked ? nothing : key(word('felt.play_myself'), { do: 'play', on: true }, { primary: true })}</div></section>`;
  }
  return html`
    <section class="rail" aria-label=${word('felt.rail')}>
      <div class="chips" role="group" aria-label=${word('felt.chips')}>
        ${chips.map((cents) => html`
          <button type="button" class="chip" data-chip=${cents} data-drag=${cents} ?disabled=${cents > balance || !chipsUsable()}
              aria-pressed=${String(model.chip === cents)} aria-label=${word('felt.chip', { cents: money(cents) })}
              @click=${() => { model.chip = cents; redraw(); }}>${chipText(cents)}</button>`)}
      </div>
      <dl class="purse">
        <div><dt>${word('felt.total_bet')}</dt><dd class="digits">${money(totalBet(model.seat))}</dd></div>
        <div><dt>${word('felt.balance', { seat: model.seat })}</dt><dd class="digits">${money(balance)}</dd></div>
      </dl>
      ${solo ? nothing : html`<label class="tick"><input type="checkbox" .checked=${model.picture.keying}
        @change=${(event) => once({ do: 'mode', keying: event.target.checked })}>${word('felt.keying')}</label>`}
      <div class="keys">${betKeys()}${solo ? soloKeys() : handDecision()}</div>
      ${solo ? nothing : dealerKeys()}
    </section>`;
}

function chipsUsable() {
  return !model.picture.solo || betsOpen() || ['settled', 'void'].includes(model.picture.state.phase);
}

/** One key: `why` is what it would need to be pressed. */
function key(label, act, { primary = false, grave = false, off = false } = {}) {
  return html`<button type="button" class="key ${primary ? 'primary' : ''} ${grave ? 'grave' : ''}"
    ?disabled=${off || (primary && acting())} @click=${typeof act === 'function' ? act : () => once(act)}>${label}</button>`;
}

function betKeys() {
  const { seat, picture } = model;
  const { phase } = picture.state;
  if (IN_PLAY.includes(phase)) return nothing;
  const open = betsOpen();
  const lies = SPOTS.some((spot) => pile(seat, spot).length);
  const more = doubling(seat);
  const repeat = picture.repeat.includes(seat) && picture.state.holds.length === 0 && (over() ? picture.solo : open && !lying(seat, 'ante'));
  return html`
    ${over() ? nothing : html`
      ${key(word('felt.clear'), { do: 'clear', seat }, { off: !open || !lies })}
      ${key(word('felt.undo'), { do: 'undo' }, { off: !open || !picture.undo })}
      ${key(word('felt.double'), { do: 'double', seat }, { off: !open || !more || more > picture.purses[seat] || picture.doubled.includes(seat) })}`}
    ${key(word('felt.rebet'), { do: 'repeat', seat }, { off: !repeat })}`;
}

function soloKeys() {
  const { seat, picture } = model;
  const { phase, holds } = picture.state;
  if (holds.length || picture.silent) return nothing;
  if (phase === 'betting') {
    const least = Math.max(1, limit('minimum'));
    const antes = picture.state.seats.map((one) => lying(one.seat, 'ante'));
    const ready = antes.some(Boolean) && antes.every((cents) => cents === 0 || cents >= least);
    return key(word('felt.deal'), { do: 'deal' }, { primary: true, off: !ready });
  }
  if (phase === 'deciding') return decision(seat);
  if (phase === 'settled' || phase === 'void') return key(word('felt.next'), { do: 'next' }, { primary: true });
  return html`<p class="quiet now">${word(`felt.now.${phase}`)}</p>`;
}

function decision(seat) {
  const others = model.picture.state.seats.filter((one) => undecided(one.seat)).map((one) => one.seat);
  if (!undecided(seat)) {
    if (!others.length) return html`<p class="quiet now">${word('felt.now.revealing')}</p>`;
    return key(word('felt.go_to', { seat: others[0] }), () => choose(others[0]), { primary: true });
  }
  const cents = 2 * seatOf(seat).ante.cents;
  const poor = cents > model.picture.purses[seat];
  return html`
    ${key(word('felt.fold'), { do: 'fold', seat }, { grave: true })}
    ${key(word('felt.bet', { cents: money(cents) }), { do: 'raise', seat }, { primary: true, off: poor })}
    ${poor ? key(word('felt.buy_in'), () => { model.dialog = 'buy_in'; redraw(); }) : nothing}`;
}

function handDecision() {
  const { state } = model.picture;
  const any = state.phase === 'deciding' && state.holds.length === 0 && state.seats.some((one) => undecided(one.seat));
  return any ? decision(model.seat) : nothing;
}

function dealerKeys() {
  const { picture } = model;
  const { phase } = picture.state;
  const place = picture.next_place;
  const next = place ? word('felt.next_card', { place: place === 'D' ? word('felt.the_dealer') : word('felt.seat', { seat: place }) }) : word('felt.one_card');
  const chips = picture.state.seats.some((seat) => SPOTS.some((spot) => seat[spot].chips || pile(seat.seat, spot).length));
  const step = nextStep();
  return html`
    <div class="dealer-keys" role="group" aria-label=${word('felt.dealer_keys')}>
      ${['open', 'lock', 'close', 'reveal', 'clear'].map((name) =>
        key(word(`felt.key.${name}`), { do: 'key', key: name }, { primary: step === name }))}
      <span class="between"></span>
      ${key(next, () => again({ do: 'card' }), { primary: step === 'card' })}
      ${key(word('felt.five_cards'), { do: 'card', count: 5 })}
      ${key(word('felt.choose_card'), () => { model.dialog = 'card'; redraw(); })}
      ${key(word('felt.sweep'), { do: 'sweep' }, { primary: step === 'sweep', off: phase === 'betting' ? !picture.left_over.length : !chips })}
    </div>`;
}

/** Who deals: the house for one player, the person with the dealer's keys, or the simulated players. */
export function modeKeys() {
  const { solo, alone, playing } = model.picture;
  const mode = (on, act, label, why) => html`<button type="button" class="key" aria-pressed=${String(on)} title=${word(why)} @click=${() => once(act)}>${label}</button>`;
  return html`
    <div class="modes" role="group" aria-label=${word('felt.modes')}>
      ${mode(playing && solo, { do: 'mode', solo: true }, word('felt.solo'), 'felt.solo.why')}
      ${mode(playing && !solo, { do: 'mode', solo: false }, word('felt.by_hand'), 'felt.by_hand.why')}
      ${alone ? nothing : mode(!playing, { do: 'play', on: false }, word('felt.let_them'), 'felt.players_play')}
    </div>`;
}
