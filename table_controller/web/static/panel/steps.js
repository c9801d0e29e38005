// What the dealer does next, in one line. A key that the table refuses is never asked for: the line is then what
// must be done first, and in a hold what ends it.

import { word } from '../table.js';
import { hold, nextUnkeyed, placeWords, tokensDue, undecided } from './model.js';

// The table refuses a key in sentences of its own; each of these is something that the dealer can see to.
const UNDECIDED = /^undecided: seat /;
const NO_ANTE = /^there is no ante$/;
const HANDS = /^the hand must be stated at (.+)$/;
const FIRST = [
  [/^another deck must be put in use first$/, 'deck'],
  [/^the rest of the deck was counted wrong/, 'recount'],
  [/^the shoe is away$/, 'shoe'],
  [/^the progressive meter or its display is down$/, 'meter'],
  [/^the raise is not twice the ante: seat (.+)$/, 'raise'],
  [/^a card waits to be read$/, 'rescan'],
  [/^a card too many is not accounted for$/, 'extra'],
  [/^the up card must be (?:said|stated)/, 'upcard'],
  [HANDS, 'hands'],
  [/^a due card is missing$/, 'card'],
  [/^the rest of the deck must be counted$/, 'stub'],
];
const HAND = 5;
// Whose holds the dealer himself can end, or that are told otherwise than by who ends them.
const HOLDS = { unreadable_card: 'rescan', frame_lost: 'rescan', deck_short: 'recount', jackpot_hand_in_void_round: 'award' };

/** The line; `refused` is why the key of the phase is, `counted` that the deck is, `done` that every seat is ticked. */
export function nextStep(now, { refused = '', counted = false, done = false, key = '' } = {}) {
  const { state, house } = now;
  if (state.shown === 'trial') return word('step.trial', {});
  if (state.shown === 'closed') return word('step.closed', {});
  if (state.holds.length) return holdStep(state, counted);
  const first = () => firstWords(refused) || word('not.yet', { key, why: refused });
  switch (state.phase) {
    case 'idle': return refused ? first() : word('step.idle', {});
    case 'betting': {
      if (!state.seats.some((seat) => seat.ante.chips || seat.ante.cents)) return word('step.wait', {});
      if (NO_ANTE.test(refused)) return word('step.key.only', {});
      if (refused) return first();
      return word(nextUnkeyed(state, house, null) ? 'step.key' : 'step.lock', {});
    }
    case 'dealing': return word(tokensDue(state, house) ? 'step.tokens' : 'step.deal', { cards: state.cards_out });
    case 'deciding': return deciding(now, refused, first);
    case 'revealing': {
      if (fifthDue(now)) return word('step.fifth', {});
      return refused ? first() : word('step.reveal', {});
    }
    case 'settled':
    case 'void': {
      const name = done ? 'done' : state.phase;
      if (refused) return firstWords(refused) ? word(`step.${name}.stub`, {}) : first();
      return word(`step.${name}`, {});
    }
    default: return '';
  }
}

function deciding(now, refused, first) {
  const { state } = now;
  const fifth = fifthDue(now);
  const still = undecided(state);
  const line = () => {
    if (still.length) return word('step.decide', { seats: still.join(', ') });
    // The last answer is of the moment before the last seat decided: the next one is on its way.
    if (UNDECIDED.test(refused)) return word('step.decided', {});
    return refused ? first() : word(fifth ? 'step.fifth.close' : 'step.close', {});
  };
  return fifth && (still.length || refused) ? `${word('step.fifth', {})} ${line()}` : line();
}

function firstWords(refused) {
  for (const [sentence, name] of FIRST) {
    const found = sentence.exec(refused);
    if (found) return word(`first.${name}`, { seats: found[1] ?? '', places: name === 'hands' ? listWords(found[1]) : '' });
  }
  return '';
}

function listWords(places) {
  return places.split(', ').map(placeWords).join(', ');
}

/** The hands that REVEAL waits for, in words, as the table names them; empty where it names none. */
export function handsMissing(refused) {
  const found = HANDS.exec(refused);
  return found ? listWords(found[1]) : '';
}

function holdStep(state, counted) {
  const holds = state.holds.map((name) => hold(state, name));
  // What a void alone ends is not ended by anything else that is said.
  if (holds.some((one) => one.onlyVoid)) return word('step.hold.void', {});
  if (state.holds.includes('jackpot_hold')) return word(counted ? 'step.award.counted' : 'step.award', {});
  const own = holds.filter((one) => HOLDS[one.name]);
  const others = holds.filter((one) => !HOLDS[one.name]);
  // A card that makes six may have to go to the rack.
  const touched = own.length > 0 || holds.some((one) => one.way === 'discard');
  const lines = [
    ...own.map((one) => word(`step.hold.${HOLDS[one.name]}`, {})),
    ...others.map((one) => word('step.hold.ends', { who: one.who, ends: one.ends })),
    ...(touched ? [] : [word('step.hold.touch', {})]),
  ];
  return [...new Set(lines)].join(' ');
}

// ------------------------------------------------------------------------- the dealer's four cards

function completes(state, house) {
  return house?.rules?.dealer_short === 'complete' && hasAlarm(state, 'dealer_short') && !hasAlarm(state, 'dealer_long');
}

function hasAlarm(state, name) {
  return state.alarms.some((one) => one.alarm === name);
}

/** Whether the dealer's fifth card is still to be dealt where the house completes his hand. */
export function fifthDue({ state }) {
  return ['deciding', 'revealing'].includes(state.phase) && state.due === 'D';
}

/** The dealer's cards as many as lie there, as far as anybody has said: the order alone counts one that is not there. */
export function dealerCards(now) {
  const { state, house } = now;
  const { cards } = state.dealer;
  let lie = cards.length;
  if (state.holds.includes('dealer_short') || fifthDue(now)) lie = HAND - 1;
  else if (completes(state, house)) lie = HAND;
  const kept = [...cards];
  while (kept.length > lie && kept.includes(null)) kept.splice(kept.lastIndexOf(null), 1);
  return kept;
}

/** The place of the one card that nobody could read, as it was told when it left; empty where it is not certain. */
export function unreadPlace({ state, facts = [] }) {
  if (state.holds.length !== 1 || state.holds[0] !== 'unreadable_card') return '';
  const told = facts.map(({ fact }) => fact);
  const at = told.findLastIndex((fact) => fact.type === 'HoldPlaced' && fact.hold === 'unreadable_card');
  // More cards in the hold may be unread too, and the one that is read first is then no longer certain.
  if (at < 0 || told.slice(at).some((fact) => fact.type === 'CardDealt')) return '';
  const before = told.slice(0, at).findLast((fact) => fact.type !== 'AlarmRaised');
  return before?.type === 'CardDealt' ? before.place : '';
}
