// The windows over the table: pay tables, rules, game log, version, buy-in, breaking things, people's words.
import { html, nothing } from '../lit-html.js';
import { word, money, amount, count } from '../table.js';
import { cardFace, picker } from '../cards.js';
import { handName, payTables, ruleSentences } from '../rules.js';
import { again, once, redraw } from './acts.js';
import { lines } from './notes.js';
import { choose } from './seats.js';
import { shape } from './shapes.js';
import { limit, model, staked } from './model.js';

const BUY_INS = [2500, 10000, 50000, 200000];
const HANDS = ['royal_flush', 'straight_flush', 'four_of_a_kind', 'full_house', 'flush'];
const LINES = [['meter_down', 'meter_well'], ['display_down', 'display_well'], ['door_open', 'door'], ['mains_down', 'mains_well']];
const MOMENTS = ['shoe_noise', 'shoe_swallow', 'shoe_skip', 'shoe_reboot'];
const WORDS = ['sup resume', 'sup void', 'sup new_deck', 'sup withdraw'];

/** The content of the window that is open. */
export function dialog() {
  const content = {
    pays, rules, games, version, buy_in: buyIn, break: breaking, words, card, rescan,
  }[model.dialog];
  if (!content) return nothing;
  return html`
    <div class="dialog-head"><h2 id="dialog-title">${word(`felt.title.${model.dialog}`)}</h2>
      <button type="button" class="key" @click=${shut}>${word('felt.close_window')}</button></div>
    ${content()}
    ${model.problem ? html`<p class="notice bad" role="alert">${shape('cross')}${model.problem}</p>` : nothing}`;
}

/** Closes the window. */
export function shut() {
  if (model.dialog === 'buy_in') model.dismissed = model.picture.state?.round ?? '';
  model.dialog = '';
  model.boxed = false; // It is said of one card.
  model.problem = '';
  redraw();
}

/** Opens a window. */
export function open(name) {
  model.dialog = name;
  model.problem = '';
  redraw();
  if (name === 'games') {
    fetch('/api/games').then((response) => response.json()).then(({ games: found }) => { model.games = found; redraw(); }).catch(() => {});
  }
}

/** One pay table as rows of hand and prize. */
export function payTable(table) {
  return html`
    <table class="pays"><caption>${table.title}</caption>
      <tbody>${table.lines.map((line) => html`<tr><th scope="row">${line.name}</th><td class="amount">${line.pays}</td></tr>`)}</tbody>
    </table>`;
}

function pays() {
  const { house } = model.picture;
  if (!house) return nothing;
  return html`<div class="tables">${payTables(house).map((table) => html`<div>${payTable(table)}<p class="quiet">${table.note}</p></div>`)}</div>`;
}

function rules() {
  const { house } = model.picture;
  if (!house) return nothing;
  return html`${ruleSentences(house).map((topic) => html`
    <h3>${topic.title}</h3><ul class="sentences">${topic.sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`)}`;
}

function games() {
  if (!model.games) return html`<p>${word('felt.loading')}</p>`;
  if (!model.games.length) return html`<p>${word('felt.no_games')}</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${word('felt.title.games')}><table>
    <thead><tr><th>${word('felt.game_number')}</th><th>${word('felt.place')}</th><th>${word('felt.cards')}</th><th class="amount">${word('felt.staked')}</th><th class="amount">${word('felt.returned')}</th></tr></thead>
    <tbody>${model.games.map((game) => html`
      <tr class="dealer-row"><td>${game.round}</td><td>${word('felt.the_dealer')}</td><td>${small(game.dealer.cards)} ${game.dealer.hand}</td>
        <td class="amount"></td><td class="amount">${game.result === 'void' ? word('felt.void') : ''}</td></tr>
      ${game.seats.map((seat) => html`
        <tr><td></td><td>${word('felt.seat', { seat: seat.seat })}</td><td>${small(seat.cards)} ${seat.folded ? word('felt.folded') : ''}</td>
          <td class="amount">${amount(staked(seat))}</td>
          <td class="amount">${amount(seat.returned)}</td></tr>`)}`)}</tbody></table></div>`;
}

function small(cards) {
  return html`<span class="few">${cards.filter(Boolean).map((card) => cardFace(card))}</span>`;
}

function version() {
  const { house } = model.picture;
  return html`<dl class="facts">
    <dt>${word('felt.software')}</dt><dd>${house?.software ?? word('felt.unknown')}</dd>
    <dt>${word('felt.table')}</dt><dd>${house?.table ?? word('felt.unknown')}</dd>
    <dt>${word('felt.rounds')}</dt><dd>${count(model.picture.state?.rounds ?? 0)}</dd></dl>`;
}

function buyIn() {
  return html`
    <p>${word('felt.buy_in_why', { seat: model.seat, cents: money(model.picture.purses[model.seat]), least: money(limit('minimum')) })}</p>
    <div class="keys">${BUY_INS.map((cents) => html`
      <button type="button" class="key" @click=${async () => { if ((await once({ do: 'buy_in', seat: model.seat, cents }))?.ok) shut(); }}>${money(cents)}</button>`)}</div>`;
}

function card() {
  return html`
    <p class="quiet">${word('felt.card_why')}</p>
    ${picker({ onPick: (text) => { again({ do: 'card', card: model.boxed && text !== 'JK' ? `${text}^` : text }); shut(); }, joker: true })}
    <div class="keys">
      <label class="tick"><input type="checkbox" .checked=${model.boxed === true} @change=${(event) => { model.boxed = event.target.checked; redraw(); }}>${word('felt.boxed')}</label>
      <button type="button" class="key" @click=${() => { again({ do: 'card', card: '??' }); shut(); }}>${word('felt.unreadable')}</button>
    </div>`;
}

function rescan() {
  return html`
    <p class="quiet">${word('felt.rescan_why')}</p>
    ${picker({ onPick: async (text) => { if ((await once({ do: 'say', text: `rescan ${text}` }))?.ok) shut(); } })}`;
}

function toggle(name, args, broken) {
  return html`<li><button type="button" class="key ${broken ? 'grave' : ''}" aria-pressed=${String(broken)}
      @click=${() => once({ do: broken ? 'mend' : 'fault', name, args })}>${shape(broken ? 'cross' : 'go')}${word(`felt.${broken ? 'mend' : 'fault'}.${name}`)}</button>
    <p class="quiet">${word(`felt.fault.${name}.why`)}</p></li>`;
}

function breaking() {
  const { wires, broken, state } = model.picture;
  const { seat } = model;
  const is = (name, ...args) => broken.includes([name, ...args].join(' '));
  return html`
    <ul class="faults">
      <li><button type="button" class="key grave" @click=${() => once({ do: 'power' })}>${shape('cross')}${word('felt.power')}</button><p class="quiet">${word('felt.power.why')}</p></li>
      ${toggle('shoe_unplugged', [], !wires.shoe)}
      ${MOMENTS.map((name) => html`<li><button type="button" class="key" @click=${() => once({ do: 'fault', name, args: [] })}>${word(`felt.fault.${name}`)}</button><p class="quiet">${word(`felt.fault.${name}.why`)}</p></li>`)}
      ${LINES.map(([name, line]) => toggle(name, [], !wires.health[line]))}
    </ul>
    <h3>${word('felt.at_seat', { seat })}</h3>
    <div class="keys seat-keys" role="group" aria-label=${word('felt.choose_seat')}>${(state?.seats ?? []).map((one) => html`
      <button type="button" class="key" aria-pressed=${String(seat === one.seat)} @click=${() => choose(one.seat)}>${one.seat}</button>`)}</div>
    <ul class="faults">
      ${toggle('coin_stuck', [seat], is('coin_stuck', seat))}
      ${toggle('lamp_dead', [seat], is('lamp_dead', seat))}
      ${['ante', 'bonus', 'raise'].map((spot) => html`<li><button type="button" class="key ${is('sensor_stuck', spot, seat) ? 'grave' : ''}" aria-pressed=${String(is('sensor_stuck', spot, seat))}
        @click=${() => once({ do: is('sensor_stuck', spot, seat) ? 'mend' : 'fault', name: 'sensor_stuck', args: [spot, seat] })}>${word(`felt.${is('sensor_stuck', spot, seat) ? 'mend' : 'fault'}.sensor_stuck`, { spot: word(`felt.${spot}`) })}</button>
        <p class="quiet">${word('felt.fault.sensor_stuck.why')}</p></li>`)}
      <li><button type="button" class="key" @click=${() => once({ do: 'coin', seat, force: true })}>${word('felt.force_coin')}</button><p class="quiet">${word('felt.force_coin.why')}</p></li>
    </ul>
    <h3>${word('felt.luck', { seat })}</h3><p class="quiet">${word('felt.luck.why')}</p>
    <div class="keys">${HANDS.map((hand) => html`
      <button type="button" class="key" @click=${async () => { if ((await once({ do: 'luck', seat, hand }))?.ok) shut(); }}>${handName(hand)}</button>`)}</div>
    <h3>${word('felt.happened')}</h3>${lines()}`;
}

function words() {
  const say = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const answer = await once({ do: 'say', text: form.get('text'), reason: form.get('reason') });
    if (answer?.ok) event.target.reset();
  };
  return html`
    <p class="quiet">${word('felt.words_why')}</p>
    <div class="keys">${WORDS.map((text) => html`<button type="button" class="key" @click=${() => once({ do: 'say', text })}>${word(`felt.say.${text}`)}</button>`)}</div>
    <form class="say" @submit=${say}>
      <label>${word('felt.word')}<input class="field" name="text" required maxlength="200" autocomplete="off" spellcheck="false"></label>
      <label>${word('felt.reason')}<input class="field" name="reason" maxlength="200" autocomplete="off"></label>
      <button class="key primary">${word('felt.say_it')}</button>
    </form>
    <p class="quiet">${word('felt.words_list')}</p>
    <h3>${word('felt.happened')}</h3>${lines()}`;
}
