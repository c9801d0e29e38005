// The seats as the players see them: seat 1 sits at the dealer's left, which is their right.
import { html, nothing } from '../lit-html.js';
import { word, money, amount } from '../table.js';
import { cardBack, cardFace } from '../cards.js';
import { again, once, redraw } from './acts.js';
import { shape } from './shapes.js';
import { betsOpen, leftOver, lying, model, pile, rule, seatOf, sit, undecided } from './model.js';

/** All seats, from the players' left to their right. */
export function seats() {
  const count = model.picture.state.seats.length;
  const numbers = Array.from({ length: count }, (_, at) => count - at);
  return html`<ol class="seats" data-seats=${count}>${numbers.map((number) => html`<li>${oneSeat(number)}</li>`)}</ol>`;
}

function oneSeat(number) {
  const seat = seatOf(number);
  const chosen = model.seat === number;
  return html`
    <section class="seat ${chosen ? 'chosen' : ''}" aria-label=${word('felt.seat', { seat: number })}>
      <button type="button" class="seat-name" aria-pressed=${String(chosen)} @click=${() => choose(number)}>
        <span>${word('felt.seat', { seat: number })}</span>
        <span class="digits">${money(model.picture.purses[number])}</span>
      </button>
      <div class="cards">${cards(number, seat)}</div>
      ${rule('progressive_pays', []).length ? slot(number, seat) : nothing}
      ${spot(number, seat, 'ante')}
      ${rule('bonus_pays', []).length ? spot(number, seat, 'bonus') : nothing}
      ${spot(number, seat, 'raise')}
    </section>`;
}

/** The person sits down at a seat. */
export function choose(number) {
  sit(number);
  redraw();
}

function cards(number, seat) {
  const own = model.looked?.seat === number ? model.looked.cards : [];
  return seat.cards.map((card, at) => {
    const face = card ?? own[at];
    return face ? cardFace(face) : cardBack();
  });
}

/** What a seat has decided, or has still to decide; it stands where the raise would lie. */
function standing(number, seat) {
  if (seat.dead) return html`<span class="state bad">${shape('cross')}${word('felt.dead')}</span>`;
  if (seat.folded) return html`<span class="state warn">${shape('cross')}${word(model.picture.by_time.includes(number) ? 'felt.auto_folded' : 'felt.folded')}</span>`;
  if (undecided(number)) return html`<span class="state info">${shape('wait')}${word('felt.to_decide')}</span>`;
  return nothing;
}

function slot(number, seat) {
  const { wires, state, silent } = model.picture;
  const lit = wires.lamps[number - 1] === true;
  const open = wires.accept[number - 1] && !silent;
  const says = seat.lamp_dead ? 'lamp_dead' : lit ? 'lit' : seat.coin === 'bet' ? 'coin_bet' : seat.coin === 'returned' ? 'coin_back' : open ? 'slot_open' : 'slot_closed';
  const back = seat.coin === 'bet' && state.phase === 'betting';
  return html`
    <div class="row">
      <span class="lamp ${lit ? 'lit' : ''}">${shape(lit ? 'lamp' : 'dark')}</span>
      <button type="button" class="spot slot" data-slot=${number}
          @click=${() => once({ do: 'coin', seat: number })}>
        <span class="label">${word('felt.coin')}</span><span class="what">${resultOf(seat, 'coin') || word(`felt.slot.${says}`)}</span>
        <span class="hidden-words">${word(back ? 'felt.coin_undo' : 'felt.coin_drop', { seat: number })}</span>
      </button>
    </div>`;
}

function spot(number, seat, name) {
  const chips = pile(number, name);
  const cents = lying(number, name);
  const keyed = seat[name].cents;
  const known = keyed !== null && keyed !== cents && cents && !['settled', 'void'].includes(model.picture.state.phase);
  const result = resultOf(seat, name);
  const problem = model.problemAt === `${number} ${name}` ? 'refused' : '';
  const open = model.picture.playing && (model.picture.solo && name === 'raise' ? undecided(number) : !model.picture.solo || betsOpen());
  const alone = model.picture.solo && name === 'raise';
  return html`
    <div class="row ${problem}">
      ${chips.length && !model.picture.playing ? html`<span class="chip small" aria-hidden="true" data-chip=${chips[chips.length - 1]} data-height=${Math.min(chips.length, 4)}>${chipText(chips[chips.length - 1])}</span>` : chips.length
        ? html`<button type="button" class="chip small" data-chip=${chips[chips.length - 1]} data-height=${Math.min(chips.length, 4)}
            aria-label=${word('felt.take', { seat: number, spot: word(`felt.${name}`), cents: money(chips[chips.length - 1]) })}
            @click=${() => again({ do: 'take', seat: number, spot: name })}>${chipText(chips[chips.length - 1])}</button>`
        : html`<span class="no-chip" aria-hidden="true"></span>`}
      <button type="button" class="spot ${name} ${open ? 'open' : ''}" data-spot=${name} data-seat=${number}
          @click=${() => lay(number, name)}>
        <span class="label">${word(`felt.${name}`)}</span>
        <span class="what">${result || (cents ? sum(cents) : name === 'raise' ? standing(number, seat) : nothing)}
        ${leftOver(number, name) && chips.length ? html`<small>${word('felt.left_over')}</small>` : nothing}
        ${known ? html`<small>${word('felt.keyed', { cents: amount(keyed) })}</small>` : nothing}</span>
        <span class="hidden-words">${word(alone ? 'felt.raise_here' : 'felt.lay', { seat: number, chip: money(model.chip) })}</span>
      </button>
    </div>`;
}

/** A chip of the chosen size goes to a spot; alone at the table the raise is laid whole. */
export function lay(seat, name, chip = model.chip) {
  if (model.seat !== seat) choose(seat);
  if (name === 'raise' && model.picture.solo) {
    once({ do: 'raise', seat });
    return;
  }
  again({ do: 'chip', seat, spot: name, cents: chip });
}

/** What is printed on a chip: whole units without their cents. */
export function chipText(cents) {
  return cents % 100 === 0 ? String(cents / 100) : amount(cents);
}

/** An amount on a spot; one with many digits is set smaller, so that it stays inside. */
function sum(cents) {
  const text = amount(cents);
  return html`<b class="digits ${text.length > 9 ? 'many' : ''}">${text}</b>`;
}

/** What became of a stake: its word stands beside the name of the spot, and the amount below both. */
function resultOf(seat, name) {
  const text = seat.results?.[name] ?? 'none';
  if (!text || text === 'none') return '';
  const [verb, figure = ''] = text.split(' ');
  const said = html`<span class="result ${verb}">${shape(verb === 'win' ? 'tick' : verb === 'lose' ? 'cross' : 'wait')}${word(`felt.result.${verb}`)}</span>`;
  return figure ? html`${said} ${sum(Number(figure.replace('.', '')))}` : said;
}
