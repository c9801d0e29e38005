// What the page knows: the newest picture, and what the person has chosen on this screen.

export const SPOTS = ['ante', 'bonus', 'raise'];
export const IN_PLAY = ['dealing', 'deciding', 'revealing'];
const LOST_MS = 4000;
const SEAT_KEPT = 'seat';

/** The one model of the page; `picture` is null until the first has come. */
export const model = {
  picture: null,
  heardMs: 0,
  timerMs: 0,
  timerOrder: '',
  seat: Number(sessionStorage.getItem(SEAT_KEPT)) || 4,
  chip: 500,
  dialog: '',
  boxed: false, // The card that is chosen next lies face up in the shoe.
  looked: null, // {seat, round, cards}: the player's own cards, while he looks at them.
  problem: '', // What was refused last, until the next act or until the table has moved on.
  problemAt: '', // The seat and spot that it is about, or nothing.
  news: '', // What the last act has shown, where that is no refusal.
  saidAt: '', // The moment of the table that both are about.
  pickTo: '',
  games: null,
  left: false,
  dismissed: '', // The round in which the buy-in window was closed by the person.
};

/** Takes a picture in; one that is older than what is shown is dropped. */
export function take(picture) {
  const before = model.picture;
  if (before && (picture.order[0] < before.order[0]
    || (picture.order[0] === before.order[0] && picture.order[1] < before.order[1]))) return false;
  model.picture = picture;
  model.heardMs = performance.now();
  const order = picture.order.join('.');
  if (order !== model.timerOrder) {
    model.timerOrder = order;
    model.timerMs = model.heardMs;
  }
  if (picture.state && model.seat > picture.state.seats.length) model.seat = 1;
  if (before?.state && before.state.phase !== 'deciding' && picture.state?.phase === 'deciding') followTheCards(picture);
  if (!picture.chips.includes(model.chip)) model.chip = picture.chips[0];
  const state = picture.state;
  if (model.saidAt !== moment()) hush();
  if (model.looked && (!state || state.round !== model.looked.round || state.phase === 'betting')) model.looked = null;
  return true;
}

/** What has to stay for a message to be about what is seen: the round, its phase, holds, the trial and the day. */
export function moment() {
  const state = model.picture?.state;
  return state ? [state.round, state.phase, state.holds, state.trial !== null, state.day?.open].join(' ') : '';
}

/** Nothing is said any more. */
export function hush() {
  model.problem = model.problemAt = model.news = '';
}

// Whoever looks at a seat without cards when the others decide sees the first of those who have some.
function followTheCards(picture) {
  if (picture.antes.length && !picture.antes.includes(model.seat)) sit(picture.antes[0]);
}

/** The person sits at that seat from now on, also after a reload. */
export function sit(seat) {
  model.seat = seat;
  model.looked = null;
  sessionStorage.setItem(SEAT_KEPT, String(seat));
}

/** Whether nothing has come from the page's own server for seconds. */
export function lost() {
  return performance.now() - model.heardMs > LOST_MS;
}

/** The time left to bet or decide in milliseconds, null where there is no limit; it stands still in a hold. */
export function leftMs() {
  const { state, silent } = model.picture;
  if (!state || state.left_ms === null) return null;
  if (state.holds.length || silent) return state.left_ms;
  return Math.max(0, state.left_ms - Math.round(performance.now() - model.timerMs));
}

/** One seat of the snapshot. */
export function seatOf(number) {
  return model.picture.state.seats[number - 1];
}

/** The chips on a spot, the lowest first; those of simulated players are shown by the amount that was keyed. */
export function pile(seat, spot) {
  const { piles, playing, state, chips } = model.picture;
  if (playing) return piles[`${seat} ${spot}`] ?? [];
  const shown = state.seats[seat - 1][spot];
  const found = [];
  let rest = shown.chips ? shown.cents ?? 0 : 0;
  for (const chip of [...chips].reverse()) {
    for (; rest >= chip; rest -= chip) found.push(chip);
  }
  return found;
}

/** Whether a round is over and its chips still lie. */
export function over() {
  return ['settled', 'void'].includes(model.picture.state.phase);
}

/** Whether what lies there is no bet of this round and has to be taken away. */
export function leftOver(seat, spot) {
  return !over() && model.picture.left_over.includes(`${seat} ${spot}`);
}

/** What lies on a spot as a bet, in cents. */
export function lying(seat, spot) {
  if (leftOver(seat, spot) && !IN_PLAY.includes(model.picture.state.phase)) return 0;
  return pile(seat, spot).reduce((sum, chip) => sum + chip, 0);
}

/** What a seat has bet in a round, in cents: the amounts that the table has locked, and its coin.
 *
 * Chips are swept and coins fall into the chute, and this stays. A coin that comes back is in what the round
 * returns, so it is in what was staked too. */
export function staked(seat) {
  const [coin] = (seat.results?.coin ?? '').split(' ');
  // A snapshot has what lies on a spot and its amount, the log of games only the amount.
  const bets = SPOTS.reduce((sum, spot) => sum + ((typeof seat[spot] === 'number' ? seat[spot] : seat[spot].cents) ?? 0), 0);
  return bets + (seat.coin === 'bet' || (coin && coin !== 'none') ? model.picture.coin_cents : 0);
}

/** The total bet of a seat in cents: what lies with its coin, and once the round is over what was bet in it. */
export function totalBet(seat) {
  if (over()) return staked(seatOf(seat));
  const coin = model.picture.state && seatOf(seat).coin === 'bet' ? model.picture.coin_cents : 0;
  return SPOTS.reduce((sum, spot) => sum + lying(seat, spot), coin);
}

/** Whether that seat has still to raise or fold. */
export function undecided(seat) {
  const { state } = model.picture;
  const one = state.seats[seat - 1];
  return state.phase === 'deciding' && one.ante.cents && one.cards.length && !one.folded && !one.dead && !one.raise.chips;
}

/** What DOUBLE would add to the bets of that seat, in cents: each grows up to its maximum. */
export function doubling(seat) {
  return [['ante', 'maximum'], ['bonus', 'bonus_maximum']].reduce((sum, [spot, most]) => {
    const cents = lying(seat, spot);
    return sum + (limit(most) ? Math.max(0, Math.min(cents, limit(most) - cents)) : cents);
  }, 0);
}

/** Whether a supervisor's resume can end the hold: not where only a void does, nor while the shoe is away. */
export function resumable() {
  const { holds, hold_ends: ends, shoe } = model.picture.state;
  return holds.every((hold) => /\bresume\b/.test(ends[hold]) && (hold !== 'shoe_lost' || shoe));
}

/** Whether a card that the shoe could not read can be read by hand to end a hold. */
export function readable() {
  const { holds, hold_ends: ends } = model.picture.state;
  return holds.some((hold) => /\brescan\b/.test(ends[hold]));
}

/** The key that is the next step by hand, or nothing while every one of them would be refused. */
export function nextStep() {
  const { state, wires, silent, left_over: left } = model.picture;
  if (silent || state.holds.length || state.trial) return '';
  const chips = state.seats.some((seat) => SPOTS.some((spot) => seat[spot].chips));
  switch (state.phase) {
    case 'idle':
      if (state.day && !state.day.open) return '';
      return chips ? 'sweep' : 'open';
    case 'betting':
      if (left.length) return 'sweep';
      return wires.shoe && state.shoe && !state.deck_due && state.seats.some((seat) => seat.ante.cents) ? 'lock' : '';
    case 'dealing':
      return wires.shoe && state.shoe ? 'card' : '';
    case 'deciding':
      return state.seats.some((seat) => undecided(seat.seat)) ? '' : 'close';
    case 'revealing':
      return 'reveal';
    default:
      return state.stub_due ? '' : 'clear';
  }
}

/** Whether bets can be laid now. */
export function betsOpen() {
  const { state, silent } = model.picture;
  return !silent && state.phase === 'betting' && state.holds.length === 0;
}

/** What the house has: a field of its rules, or the default while they are not known. */
export function rule(name, otherwise) {
  return model.picture.house?.rules?.[name] ?? otherwise;
}

/** A limit of the table in cents; 0 is none. */
export function limit(name) {
  return model.picture.house?.[`${name}_cents`] ?? 0;
}
