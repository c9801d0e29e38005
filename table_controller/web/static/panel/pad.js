// Keying of amounts with chips. What is tapped here is a sum of this page alone until it is entered;
// every amount on the felt is the table's.

import { html, nothing } from '../lit-html.js';
import { amount, word } from '../table.js';
import { isBusy, offersLately, picture, refuse, repaint, speak, ui } from './desk.js';
import { mark } from './marks.js';
import { chips, chipText, nextUnkeyed, placeWords } from './model.js';

function total() {
  return ui.entry.reduce((sum, cents) => sum + cents, 0);
}

/** The pad: the chosen spot and its sum, the chips in one row, and the keys that fill or wipe many amounts. */
export function pad(now) {
  const { state, house } = now;
  const chosen = ui.spot;
  const betting = state.phase === 'betting';
  const seat = chosen ? state.seats[chosen.seat - 1] : null;
  return html`
    <section class="pad" aria-label=${word('pad', {})}>
      <div class="keying">
        <p class="sum" aria-live="polite">
          ${chosen ? html`<span class="where">${placeWords(`${chosen.spot} ${chosen.seat}`)}</span>
            <strong class="digits">${ui.entry.length ? amount(total()) : '–'}</strong>`
            : html`<span class="where quiet">${word('pad.choose', {})}</span>`}
        </p>
        <div class="chips" role="group" aria-label=${word('pad.chips', {})}>
          ${chips(house).map((cents) => html`<button type="button" class="chip" ?disabled=${!chosen} aria-label=${word('pad.chip', { amount: amount(cents) })}
            @click=${() => { ui.entry = [...ui.entry, cents]; repaint(); }}><span class="digits">${chipText(cents)}</span></button>`)}
          ${chosen?.spot === 'raise' && seat.ante.cents ? html`<button type="button" class="key" @click=${() => { ui.entry = [seat.ante.cents, seat.ante.cents]; repaint(); }}>${word('pad.twice', { amount: amount(2 * seat.ante.cents) })}</button>` : nothing}
        </div>
        <div class="enter">
          <button type="button" class="key" ?disabled=${!ui.entry.length} aria-label=${word('pad.back', {})} @click=${() => { ui.entry = ui.entry.slice(0, -1); repaint(); }}>${mark('back')}</button>
          <button type="button" class="key" ?disabled=${!canEnter('AddAmount')} @click=${() => enter('AddAmount')}>${word('pad.add', {})}</button>
          <button type="button" class="key strong" ?disabled=${!canEnter('SetAmount')} @click=${() => enter('SetAmount')}>${word('pad.enter', {})}</button>
        </div>
      </div>
      ${betting ? fills(state, chosen) : nothing}
    </section>`;
}

// Keys that are about the chosen seat and about all stand side by side: which is which is in their words.
function fills(state, chosen) {
  const seats = chosen ? [chosen.seat, 0] : [0];
  const keys = (type, name) => seats.map((seat) => plain({ type, seat }, seat ? word(`${name}.seat`, { seat }) : word(`${name}.all`, {}), !canFill(state, type, seat)));
  return html`<div class="fills">
    ${keys('RepeatAmounts', 'repeat')}
    ${keys('DoubleAmounts', 'double')}
    ${plain({ type: 'UndoAmount' }, word('undo', {}), refusedNow('UndoAmount'))}
    ${keys('ClearAmounts', 'wipe')}
    ${repeatRefused(state)}
  </div>`;
}

// The table repeats for all only where chips lie; before they do it has nothing to say of the round before.
function repeatRefused(state) {
  const why = refusalOf('RepeatAmounts');
  if (!why) return nothing;
  const text = state.seats.some((seat) => seat.ante.chips) ? why : word('repeat.chips', {});
  return html`<p class="why-not">${word('repeat.not', { key: word('repeat.all', {}), why: text })}</p>`;
}

// A key with nothing to act on is grey: the table says so of all seats, the amounts of one seat are in the picture.
function canFill(state, type, seat) {
  const some = seat ? [state.seats[seat - 1]] : state.seats;
  const keyed = some.some((one) => one.ante.cents || one.bonus.cents);
  if (type === 'ClearAmounts') return keyed;
  if (type === 'DoubleAmounts') return some.some((one) => one.ante.cents) && !refusedNow(type);
  // One seat can be repeated also before its chips are seen, so what is refused for all says nothing about it.
  return seat > 0 || !refusedNow(type);
}

function refusedNow(type) {
  return Boolean(refusalOf(type));
}

function refusalOf(type) {
  return offersLately()?.find((offer) => offer.command.type === type)?.refused ?? '';
}

function plain(command, text, shut) {
  return html`<button type="button" class="key" ?disabled=${shut || isBusy(command)} @click=${() => speak(command)}>${text}</button>`;
}

function command(type) {
  return { type, spot: ui.spot?.spot, seat: ui.spot?.seat, cents: total() };
}

function canEnter(type) {
  return Boolean(ui.spot) && ui.entry.length > 0 && !isBusy(command(type));
}

// The sum leaves the pad with the tap and the choice goes on to the next stack with it, so that a chip tapped before
// the answer counts for the spot that is shown. The answer changes only what nobody has touched meanwhile.
async function enter(type) {
  if (!canEnter(type)) return;
  const said = command(type);
  const { state, house } = picture();
  const before = { spot: ui.spot, entry: ui.entry };
  const next = state.phase === 'betting' ? nextUnkeyed(state, house, ui.spot) : null;
  // Where no stack waits the spot stays chosen until its amount is taken.
  const left = { spot: next ?? ui.spot, entry: [] };
  Object.assign(ui, left);
  const answer = await speak(said);
  if (ui.spot === left.spot && ui.entry === left.entry) {
    // What was refused comes back to be mended.
    if (!answer?.ok) Object.assign(ui, before);
    else if (!next) ui.spot = null;
  } else if (answer && !answer.ok) {
    // Another spot is shown by now, so the refusal says whose it is.
    refuse(`${placeWords(`${said.spot} ${said.seat}`)}: ${answer.error}`);
  }
  repaint();
}
