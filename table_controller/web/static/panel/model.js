// What a picture of the table means to the dealer: pure functions, no painting and no asking.

import { amount, word } from '../table.js';

/** The one key of each phase. */
export const KEY_OF_PHASE = {
  idle: 'open', betting: 'lock', dealing: 'close', deciding: 'close', revealing: 'reveal', settled: 'clear', void: 'clear',
};
const IN_PLAY = ['dealing', 'deciding', 'revealing'];

// Alarms that the table lets only a supervisor see off; the others a dealer may.
const SUPERVISOR_CLEARS = new Set([
  'dealer_short', 'dealer_long', 'hole_exposed', 'card_exposed', 'boxed_card', 'misplaced_card', 'duplicate_card', 'foreign_card',
  'unreadable_card', 'frame_lost', 'player_miscount', 'extra_hand', 'token_count', 'shoe_lost', 'restarted_mid_round', 'jackpot_hold',
  'jackpot_hand_in_void_round', 'deck_short', 'order_in_doubt', 'claim', 'coin_stuck', 'lamp_dead', 'meter_down', 'display_down',
]);

/** Whether cards are in play, from LOCK to REVEAL. */
export function inPlay(state) {
  return IN_PLAY.includes(state.phase);
}

/** Whether what is known of the felt is of a round that has been cleared. */
export function isOver(state) {
  return state.phase === 'idle';
}

/** Whether the round is settled or void and not cleared yet. */
export function isPaying(state) {
  return state.phase === 'settled' || state.phase === 'void';
}

/** Whether the house offers the 5+1 bonus. */
export function hasBonus(house) {
  return Boolean(house?.rules?.bonus_pays?.length);
}

/** Whether the house has a progressive: without it there is no coin and no lamp. */
export function hasCoin(house, state) {
  return house?.rules ? Boolean(house.rules.progressive_pays?.length) : state.meter !== null;
}

/** The one word of the phase for the head of the page: its key among the words and its tone. */
export function phaseTone(state) {
  if (state.holds.length) return ['hold', 'bad'];
  if (state.shown === 'trial' || state.shown === 'closed') return [state.shown, 'warn'];
  return [state.phase, { betting: 'well', void: 'warn' }[state.phase] ?? 'info'];
}

/** How a seat stands in the round: `empty`, `dead`, `folded`, `raised`, `undecided` or `in`. */
export function standing(state, seat) {
  if (isOver(state)) return 'empty';
  if (seat.dead) return 'dead';
  if (seat.folded) return 'folded';
  if (!seat.ante.cents && !seat.ante.chips) return 'empty';
  // Chips that lay on the raise at OPEN have no amount and are no raise.
  if (state.phase === 'deciding' && seat.ante.cents) return seat.raise.cents ? 'raised' : 'undecided';
  if (state.phase === 'revealing' && seat.raise.cents) return 'raised';
  return 'in';
}

/** The seats that have still to raise or fold. */
export function undecided(state) {
  return state.seats.filter((seat) => standing(state, seat) === 'undecided').map((seat) => seat.seat);
}

/** The lamp of a seat: the key of its words, and `warn` where the dealer must do something about it. */
export function lamp(state, seat) {
  if (isOver(state) && state.shown !== 'trial') return { key: seat.lamp === 'on' ? 'on' : 'off', warn: false };
  if (seat.coin === 'returned') return { key: 'give_back', warn: true };
  if (state.phase === 'betting' && seat.coin === 'bet' && seat.lamp === 'off') {
    return { key: seat.ante.cents || seat.ante.chips ? 'no_light' : 'no_ante', warn: true };
  }
  if (seat.lamp !== 'off' && seat.lamp_dead) return { key: 'dead', warn: true };
  return { key: seat.lamp, warn: false };
}

/** A stack: chips without an amount are `unkeyed`, an amount without chips is `unseen`. */
export function stack(state, view) {
  if (isOver(state)) return view.chips ? 'left' : 'empty';
  if (view.cents) return view.chips ? 'laid' : 'unseen';
  return view.chips ? 'unkeyed' : 'empty';
}

/** The next spot that has chips and no amount, after the given one and then from seat 1. */
export function nextUnkeyed(state, house, after) {
  const spots = state.seats.flatMap((seat) => [
    { seat: seat.seat, spot: 'ante', view: seat.ante },
    ...(hasBonus(house) ? [{ seat: seat.seat, spot: 'bonus', view: seat.bonus }] : []),
  ]);
  const from = spots.findIndex((one) => after && one.seat === after.seat && one.spot === after.spot);
  const ordered = [...spots.slice(from + 1), ...spots.slice(0, Math.max(0, from))];
  const found = ordered.find((one) => one.view.chips && !one.view.cents);
  return found ? { seat: found.seat, spot: found.spot } : null;
}

/** The raise spots whose chips lay there at OPEN: those that come later have their amount by themselves. */
export function stuckRaises(state) {
  return state.seats.filter((seat) => seat.raise.chips && seat.raise.cents === null).map((seat) => ({ seat: seat.seat, spot: 'raise' }));
}

/**
 * The chips without an amount, by what they count as at LOCK: `{cents, bets: [{seat, spot}]}`, 0 cents where they
 * are no bet. Where they may have lain there at OPEN, `doubt` holds them instead. `free` are the spots that were
 * seen without chips in this round: what lies there now came in it.
 */
export function unkeyed(state, house, free) {
  const found = { groups: [], doubt: [] };
  if (!house) return found;
  const add = (seat, spot, cents) => {
    // Chips that lay there at OPEN are no bet until they are keyed or laid anew, and only the alarm tells of them.
    if (!free.has(`${spot} ${seat}`) && state.alarms.some((one) => one.alarm === 'sensor_stuck' && one.place === `${spot} ${seat}`)) {
      found.doubt.push({ seat, spot });
      return;
    }
    const group = found.groups.find((one) => one.cents === cents);
    if (group) group.bets.push({ seat, spot });
    else found.groups.push({ cents, bets: [{ seat, spot }] });
  };
  for (const seat of state.seats) {
    const ante = seat.ante.cents || (seat.ante.chips && house.minimum_cents);
    if (seat.ante.chips && !seat.ante.cents) add(seat.seat, 'ante', house.minimum_cents);
    // A 5+1 bet without an ante goes back.
    if (hasBonus(house) && seat.bonus.chips && !seat.bonus.cents) add(seat.seat, 'bonus', ante ? house.bonus_minimum_cents : 0);
  }
  return found;
}

/** Spots in words, the seats of each spot together. */
export function spotsWords(bets) {
  const names = [...new Set(bets.map((one) => one.spot))];
  return names.map((spot) => `${word(`spot.${spot}`, {})} ${bets.filter((one) => one.spot === spot).map((one) => one.seat).join(', ')}`).join(' · ');
}

/** The chips in one row: 1, 5, 25, 100 and the table's own, in cents, each once. */
export function chips(house) {
  return [...new Set([100, 500, 2500, 10_000, ...(house?.chips_cents ?? [])])].sort((a, b) => a - b);
}

/** A whole amount as it stands on a chip, without its empty cents. */
export function chipText(cents) {
  return amount(cents).replace(/[.,]00$/, '');
}

/** Why that key cannot be pressed, as the table says it; empty where it can or is not known. */
export function keyRefused(offers, key) {
  return offers?.find((offer) => offer.command.type === 'PressKey' && offer.command.key === key)?.refused ?? '';
}

/** Why that decision about an award cannot be said, as the table says it; empty where it can or is not known. */
export function decisionRefused(offers, type, seat) {
  return offers?.find((offer) => offer.command.type === type && offer.command.seat === seat)?.refused ?? '';
}

/** The seats whose royal a share belongs to: what is decided there decides the share. */
export function royalSeats(state) {
  return state.awards.filter((one) => one.kind === 'royal').map((one) => one.seat).join(', ');
}

/** A hold in words: what it is, who ends it and how; and the statement by which a dealer may end it. */
export function hold(state, name) {
  const ends = state.hold_ends[name] ?? '';
  const onlyVoid = ends === 'a void';
  const own = word(`ends.${name}`, {});
  return {
    name,
    onlyVoid,
    what: known(`hold.${name}`, name),
    places: state.alarms.filter((one) => one.alarm === name && one.place && one.place !== 'D').map((one) => placeWords(one.place)).join(', '),
    ends: onlyVoid ? word('ends.void', {}) : own === `ends.${name}` ? ends : own,
    who: word(ends.includes('people') ? 'who.people' : /rescan|count/.test(ends) && !onlyVoid ? 'who.dealer' : 'who.supervisor', {}),
    way: onlyVoid ? '' : WAYS[name] ?? '',
  };
}

const WAYS = {
  unreadable_card: 'rescan', frame_lost: 'rescan', deck_short: 'stub', jackpot_hold: 'stub', player_miscount: 'discard', extra_hand: 'count',
};

/** A text of the page's words, or the name itself in plain letters where the page has none. */
export function known(key, name) {
  const text = word(key, {});
  return text === key ? name.replaceAll('_', ' ') : text;
}

/** A place in words: a seat, a spot of a seat, the dealer, the rack. */
export function placeWords(place) {
  if (place === 'D') return word('place.dealer', {});
  if (place === 'X') return word('place.rack', {});
  const [spot, seat] = place.includes(' ') ? place.split(' ') : ['', place];
  return spot ? word('place.spot', { spot: word(`spot.${spot}`, {}), seat }) : word('place.seat', { seat });
}

/** The alarms of the round that nobody has seen to yet, in words; `past` where the cause is gone, `mine` where a dealer may see to it. */
export function openAlarms(state) {
  const among = (list, one) => list.some((other) => other.alarm === one.alarm && other.place === one.place);
  const found = state.alarms.filter((one) => !among(state.cleared, one)).map((one) => {
    const past = among(state.over, one);
    return {
      ...one,
      past,
      text: known(`${past ? 'past' : 'alarm'}.${one.alarm}`, one.alarm) + (one.place ? `, ${placeWords(one.place)}` : ''),
      mine: !SUPERVISOR_CLEARS.has(one.alarm),
    };
  });
  return [...found.filter((one) => !one.past), ...found.filter((one) => one.past)];
}

/** Whether the tokens are to be counted before the first card. */
export function tokensDue(state, house) {
  return house?.rules?.token_count === 'required' && state.phase === 'dealing' && state.cards_out === 0;
}

/**
 * What the dealer must know before he presses the next key, beside the holds: the key of its words and its tone.
 * `reveal` is what the table says of REVEAL: whether it is possible, and the hands that are missing.
 */
export function notices(state, house, reveal = {}) {
  const found = [];
  const health = state.health ?? {};
  for (const line of ['meter', 'display', 'door', 'mains']) {
    if (health[line] === false && (state.meter !== null || !['meter', 'display'].includes(line))) {
      found.push({ key: `health.${line}`, tone: 'bad' });
    }
  }
  if (!state.shoe && !state.holds.includes('shoe_lost')) found.push({ key: 'notice.shoe', tone: 'bad' });
  if (state.deck_due) found.push({ key: 'notice.deck', tone: 'warn', act: 'supervisor' });
  if (state.stub_due) found.push({ key: 'notice.stub', tone: 'warn', act: 'stub' });
  if (tokensDue(state, house)) {
    found.push({ key: 'notice.tokens', tone: 'warn', act: 'tokens' });
  }
  if (state.doubt && state.phase === 'revealing' && !reveal.possible) {
    found.push({ key: reveal.hands ? 'notice.hands' : 'notice.doubt', values: { places: reveal.hands }, tone: 'warn', act: 'hand' });
  }
  return found;
}

/** The lines of a trial that are still to try: every key, and every lamp where there is a progressive. */
export function toTry(state) {
  const lamps = state.meter === null ? [] : state.seats.map((seat) => `lamp.${seat.seat}`);
  const lines = [...['lock', 'close', 'reveal', 'clear', 'open'].map((key) => `key.${key}`), ...lamps];
  return lines.filter((line) => !state.trial.tried.includes(line) && !state.trial.failed.includes(line));
}

/** A line of a trial as it is called at the table. */
export function lineWords(line) {
  const [kind, name] = line.split('.');
  return kind === 'key' ? word(`key.${name}`, {}) : word(`line.${kind}`, { seat: name });
}

/** What the betting or deciding time still is, in whole seconds; null where no limit runs. */
export function secondsLeft(now) {
  const left = now.leftMs();
  return left === null ? null : Math.ceil(left / 1000);
}
