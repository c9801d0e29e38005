// The virtual table: a person plays players and dealer on the simulated wires.
import { html, nothing, render } from './lit-html.js';
import { ready, word, money } from './table.js';
import { cardBack, cardFace, cardSlot } from './cards.js';
import { handName, payTables } from './rules.js';
import { onChange, once, redraw } from './felt/acts.js';
import { dialog, open, payTable, shut } from './felt/dialogs.js';
import { draggable } from './felt/drag.js';
import { combination } from './felt/hand.js';
import { betsOpen, leftMs, limit, lost, model, readable, resumable, seatOf, staked, take, totalBet, undecided } from './felt/model.js';
import { endsOf, lines, reason } from './felt/notes.js';
import { modeKeys, rail } from './felt/rail.js';
import { lay, seats } from './felt/seats.js';
import { shape } from './felt/shapes.js';

const LIGHTS = { green: 'go', yellow: 'soon', red: 'stop', off: 'wait' };
const TOOLS = ['rules', 'games', 'version', 'break', 'words'];
const RETRY_MS = 1000;
const page = document.getElementById('page');

function draw() {
  render(model.picture?.state ? table() : starting(), page);
  const window = page.querySelector('dialog');
  if (window && model.dialog && !window.open) window.showModal();
  if (window && !model.dialog && window.open) window.close();
}

function starting() {
  return html`<main class="starting"><h1>${word('felt.title')}</h1><p role="status">${word(lost() && model.heardMs ? 'felt.page_lost' : 'felt.starting')}</p></main>`;
}

function table() {
  if (model.left) return goodbye();
  const { picture } = model;
  return html`
    ${head()}
    <main class="room ${picture.solo ? 'solo' : 'hand'} ${picture.silent || lost() ? 'silent' : ''}">
      <div class="stage">
      <div class="middle">
        ${banner()}
        ${payouts()}
        ${dealer()}
        <section class="side" aria-label=${word('felt.happened')}>
          <nav class="tools">${TOOLS.map((name) => html`<button type="button" class="key" @click=${() => open(name)}>${word(`felt.tool.${name}`)}</button>`)}
            <button type="button" class="key" @click=${leave}>${word('felt.tool.exit')}</button></nav>
          <h2>${word('felt.happened')}</h2>${lines()}
        </section>
      </div>
      ${seats()}
      </div>
      ${rail()}
      <p class="refusal" role="alert">${model.problem ? html`<span class="state bad">${shape('cross')}${model.problem}</span>` : nothing}</p>
      <p class="refusal" role="status">${model.news ? html`<span class="state well">${shape('tick')}${model.news}</span>` : nothing}</p>
    </main>
    <dialog aria-labelledby="dialog-title" class="window w-${model.dialog}" @cancel=${(event) => { event.preventDefault(); shut(); }}
      @click=${(event) => { if (event.target.tagName === 'DIALOG') shut(); }}><div class="sheet">${dialog()}</div></dialog>`;
}

function head() {
  const { state, wires, house, silent } = model.picture;
  return html`
    <header class="bar">
      <h1>${word('felt.title')}<small>${house?.table ?? ''}</small></h1>
      <p class="number"><span class="quiet">${word('felt.game_number')}</span> <b class="digits">${state.round.replace(/^.*?-(?=\d)/, '') || '-'}</b></p>
      ${light(silent ? 'off' : wires.light, state)}
      ${state.meter ? html`<p class="meter"><span class="quiet">${word('felt.jackpot')}</span> <b class="digits">${money(state.meter.cents)}</b></p>` : html`<span class="meter"></span>`}
      ${modeKeys()}
      <button type="button" class="key" @click=${() => location.reload()}>${word('felt.tool.reload')}</button>
    </header>`;
}

function light(colour, state) {
  const left = leftMs();
  const stands = standstill(state);
  if (stands && !model.picture.silent) return html`<p class="light soon">${shape('hold')}<b>${word(`felt.light.${stands}`)}</b></p>`;
  const folded = model.picture.by_time.length && state.phase !== 'betting' && state.phase !== 'idle';
  const says = folded ? word('felt.auto_folded') : word(`felt.light.${state.phase === 'deciding' ? 'deciding' : LIGHTS[colour] ? colour : 'off'}`);
  return html`<p class="light ${LIGHTS[colour] ?? 'wait'}">${shape(LIGHTS[colour] ?? 'wait')}<b>${says}</b>${left === null || (state.phase !== 'betting' && state.phase !== 'deciding') ? nothing : html`<span class="digits">${word('felt.left', { n: Math.ceil(left / 1000) })}</span>`}</p>`;
}

/** Why the table takes no bets and deals no cards though it is alive: `trial`, `hold` or `closed`, or nothing. */
function standstill(state) {
  if (state.trial !== null) return 'trial';
  if (state.holds.length) return 'hold';
  return state.phase === 'idle' && state.day && !state.day.open ? 'closed' : '';
}

function banner() {
  const { picture } = model;
  const { state } = picture;
  if (lost()) return notice('bad', 'cross', html`${word('felt.page_lost')}`);
  if (picture.silent) return notice('bad', 'cross', html`<span><b>${word('felt.silent')}</b> ${word('felt.silent.why')}</span>`);
  if (!picture.playing) return nothing;
  const waiting = state.awards.filter((award) => award.status === 'waits');
  if (waiting.length) {
    return notice('warn', 'hold', html`<span><b>${word('felt.award_waits', { seat: waiting[0].seat, hand: handName(waiting[0].hand), cents: money(waiting[0].cents) })}</b> ${word('felt.award_waits.why')}</span>
      <button type="button" class="key primary" @click=${() => once({ do: 'decide' })}>${word('felt.confirm')}</button>
      <button type="button" class="key grave" @click=${() => once({ do: 'decide', reject: true })}>${word('felt.reject')}</button>`);
  }
  if (state.holds.length) {
    return notice('warn', 'hold', html`<span><b>${word('felt.held', { hold: state.holds.map((hold) => reason('hold', hold)).join('; ') })}</b> ${word('felt.held.why', { ends: state.holds.map((hold) => endsOf(hold, state.hold_ends[hold])).join('; ') })}</span>
      ${readable() ? html`<button type="button" class="key primary" @click=${() => open('rescan')}>${word('felt.rescan')}</button>` : nothing}
      ${resumable() ? html`<button type="button" class="key" @click=${() => once({ do: 'say', text: 'sup resume' })}>${word('felt.say.sup resume')}</button>` : nothing}
      <button type="button" class="key grave" @click=${() => once({ do: 'say', text: 'sup void' })}>${word('felt.say.sup void')}</button>
      <button type="button" class="key" @click=${() => open('words')}>${word('felt.other_words')}</button>`);
  }
  return nothing;
}

function notice(kind, form, content) {
  return html`<div class="notice ${kind}" role="status">${shape(form)}${content}</div>`;
}

function payouts() {
  const { house } = model.picture;
  if (!house) return html`<section class="payouts"></section>`;
  return html`<section class="payouts"><button type="button" class="key" @click=${() => open('pays')}>${word('felt.tool.pays')}</button>
    <div class="scroll" tabindex="0" role="region" aria-label=${word('felt.payouts')}>${[...payTables(house)].reverse().map((table) => payTable(table))}</div></section>`;
}

function dealer() {
  const { state, wires } = model.picture;
  const cards = state.dealer.cards;
  return html`
    <section class="dealer" aria-label=${word('felt.dealer')}>
      <div class="rack"><span class="quiet">${word('felt.rack')}</span><b class="digits">${state.rack}</b></div>
      <div class="hand">
        <div class="cards big">${Array.from({ length: Math.max(5, cards.length) }, (_, at) => (at < cards.length ? (cards[at] ? cardFace(cards[at]) : cardBack()) : cardSlot()))}</div>
        <p class="said">${dealerSays(state)}</p>
      </div>
      <div class="shoe ${wires.shoe ? '' : 'out'}"><span class="quiet">${word('felt.shoe')}</span><b class="digits">${52 - state.cards_out}</b>${wires.shoe ? nothing : html`<span class="state bad">${shape('cross')}${word('felt.unplugged')}</span>`}</div>
      ${own(state)}
    </section>`;
}

function dealerSays(state) {
  if (state.dealer.hand) {
    return html`<b>${state.dealer.hand}</b> ${state.dealer.qualifies ? html`<span class="state info">${shape('tick')}${word('felt.qualifies')}</span>` : html`<span class="state warn">${shape('cross')}${word('felt.no_qualify')}</span>`}`;
  }
  return html`<span>${word(says(state))}</span>`;
}

/** What there is to say to a seat that has no cards. */
function before(state) {
  const bet = totalBet(model.seat) > 0;
  if (state.phase === 'idle' || standstill(state)) return '';
  if (state.phase === 'betting') {
    if (!betsOpen()) return 'felt.light.off';
    return !bet ? 'felt.lay_first' : model.picture.solo ? 'felt.bets_lie' : 'felt.bets_lie_hand';
  }
  return state.phase === 'dealing' && bet ? 'felt.cards_come' : 'felt.no_cards';
}

function says(state) {
  return `felt.says.${standstill(state) || state.phase}`;
}

/** The cards in front of the person, what they make, and the window in which he decides. */
function own(state) {
  const seat = seatOf(model.seat);
  if (!seat.cards.length) return html`<div class="own empty"><p class="quiet">${before(state) ? word(before(state)) : nothing}</p></div>`;
  const looked = model.looked?.seat === model.seat ? model.looked.cards : [];
  const faces = seat.cards.map((card, at) => card ?? looked[at] ?? null);
  const known = faces.length === 5 && faces.every(Boolean);
  const hidden = seat.cards.some((card) => !card);
  // In a hold nobody can decide, and so nobody is asked.
  const asked = undecided(model.seat) && model.picture.playing && !model.picture.state.holds.length;
  return html`
    <div class="own ${asked ? 'asked' : ''}">
      <p class="whose">${word('felt.your_hand', { seat: model.seat })} <b>${known ? made(faces) : ''}</b></p>
      <div class="cards big">${faces.map((face) => (face ? cardFace(face) : cardBack()))}</div>
      <div class="asking">
        ${hidden && model.picture.playing ? html`<button type="button" class="key" aria-pressed=${String(looked.length > 0)} @click=${look}>${word(looked.length ? 'felt.put_down' : 'felt.look')}</button>` : nothing}
        <p class="ask" role="status">${asked ? word('felt.decide') : outcome(seat)}</p>
      </div>
    </div>`;
}

function made(faces) {
  const kind = combination(faces);
  return kind === 'high_card' ? word('felt.high_card') : handName(kind);
}

function outcome(seat) {
  const { state } = model.picture;
  const back = model.picture.returned[model.seat];
  if (!state.result || !seat.ante.cents || !model.picture.playing) return '';
  const stake = staked(seat);
  if (state.result === 'void') return word('felt.round_void', { cents: money(back) });
  if (back > stake) return word('felt.you_win', { cents: money(back - stake) });
  if (back === stake) return word('felt.you_push');
  return word('felt.you_lose', { cents: money(stake - back) });
}

async function look() {
  if (model.looked?.seat === model.seat) {
    model.looked = null;
    redraw();
    return;
  }
  const seat = model.seat;
  const answer = await once({ do: 'look', seat });
  if (answer?.ok) model.looked = { seat, round: answer.round, cards: answer.cards };
  redraw();
}

function leave() {
  if (!model.picture.alone && model.picture.playing) once({ do: 'play', on: false });
  model.left = true;
  redraw();
}

function goodbye() {
  return html`<main class="starting"><h1>${word('felt.goodbye')}</h1><p>${word('felt.goodbye.why')}</p>
    <button type="button" class="key primary" @click=${() => { model.left = false; redraw(); }}>${word('felt.back')}</button></main>`;
}

/** The buy-in window opens by itself where the purse cannot pay the smallest ante. */
function offerBuyIn() {
  const { picture } = model;
  if (!picture.state || !picture.playing || model.dialog || !betsOpen()) return;
  const poor = picture.purses[model.seat] < Math.max(100, limit('minimum')) && totalBet(model.seat) === 0;
  if (poor && model.dismissed !== picture.state.round) open('buy_in');
}

function follow() {
  const source = new EventSource('/api/picture');
  source.addEventListener('picture', (event) => {
    if (!take(JSON.parse(event.data))) return;
    offerBuyIn();
    draw();
  });
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(follow, RETRY_MS);
  };
}

await ready('felt');
document.title = word('felt.title');
onChange(draw);
draggable(page, document.getElementById('ghost'), (chip, seat, spot) => lay(seat, spot, chip));
draw();
follow();
setInterval(draw, 500);
