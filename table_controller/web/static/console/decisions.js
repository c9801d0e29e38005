// Every decision of the console: who may say it, what is asked for it, and what it is about.

import { offered } from './offers.js';
import { tables, word } from '../table.js';

const CORRECTIONS = ['display_wrong', 'over_maximum', 'undisplayed_taken', 'seed_recovered', 'added_by_house'];
const PARAMETERS = ['coin_value', 'meter_share', 'reserve_share', 'reset', 'meter_limit', 'contribution_bound'];

const text = (name, more = {}) => ({ name, kind: 'text', ...more });
const choice = (name, choices, more = {}) => ({ name, kind: 'choice', choices, ...more });

/**
 * `offers`: one of the words that the table offers is chosen. `round`: it is about the round on the felt, and the
 * table refuses it in another one. `two`: two people say it. `both`: a dealer may say it too. `easy`: without PIN and reason.
 */
export const DECISIONS = {
  VoidRound: { group: 'round', round: true, grave: true },
  Resume: { group: 'round', round: true },
  DeadHand: { group: 'round', round: true, offers: true, grave: true },
  KillHand: { group: 'round', round: true, offers: true },
  FoldShort: { group: 'round', round: true, offers: true },
  ReturnExcess: { group: 'round', round: true, offers: true },
  Withdraw: { group: 'round', round: true },
  ConfirmAward: { group: 'awards', round: true, offers: true, two: true, both: true, fields: [text('camera', { optional: true })] },
  RejectAward: { group: 'awards', round: true, offers: true, two: true, both: true, grave: true },
  CountStub: { group: 'awards', round: true, both: true, easy: true, fields: [{ name: 'cards', kind: 'number', most: 52 }] },
  PayHit: { group: 'awards', offers: true, fields: [choice('at', ['cage', 'table'])] },
  WithholdHit: { group: 'awards', offers: true, fields: [choice('hold', ['identity', 'tax', 'other'])] },
  ReleaseHit: { group: 'awards', offers: true },
  CorrectMeter: {
    group: 'meter', two: true, both: true, grave: true,
    fields: [choice('pot', ['meter', 'reserve', 'overflow']), { name: 'cents', kind: 'money' }, choice('why', CORRECTIONS, { long: true }), text('approval')],
  },
  SetParameter: { group: 'meter', fields: [choice('option', PARAMETERS, { long: true }), { name: 'value', kind: 'parameter' }, text('approval')] },
  NewDeck: { group: 'meter', fields: [text('deck', { optional: true })] },
  OpenDay: { group: 'day' },
  ChangeShift: { group: 'day', fields: [text('shift', { most: 40 })] },
  CloseDay: { group: 'day', grave: true },
  LogOff: { group: 'day', both: true, easy: true },
  BeginTrial: { group: 'day', fields: [text('notified')] },
  EndTrial: { group: 'day' },
};
export const GROUPS = ['round', 'awards', 'meter', 'day'];

/** Whether somebody of that role may say it at all. */
export function mayDecide(role, type) {
  return role === 'supervisor' || (role === 'dealer' && Boolean(DECISIONS[type]?.both));
}

/** The offers among which a decision is chosen, those that would be taken. */
export function possible(table, type) {
  return offered(table, type).filter((offer) => !offer.refused);
}

/** Why a decision is not possible now, in the table's words; empty if it is, `null` while nobody knows. */
export function refusal(table, type) {
  const state = tables.get(table)?.state;
  if (!state) return null;
  if (type === 'LogOff') return state.on_duty ? '' : 'nobody is on duty';
  if (type === 'SetParameter') return parameterRefusal(tables.get(table));
  // An example stands in these offers, so that only their being there says something.
  if (type === 'CountStub') return state.cards_out ? '' : 'no card has left the shoe';
  const all = offered(table, type);
  if (!all.length) return ['PayHit', 'WithholdHit', 'ReleaseHit'].includes(type) ? 'no confirmed award is unpaid' : null;
  return all.some((offer) => !offer.refused) ? '' : all[0].refused;
}

// The table offers no parameter, so that the page reads the rule of the house by itself.
function parameterRefusal({ state, house }) {
  if (!state.meter) return word('parameter.none');
  if (!house) return null;
  const closed = state.day && !state.day.open && state.phase === 'idle';
  return house.rules.parameter_change === 'closed_only' && !closed ? word('parameter.closed-only') : '';
}

/** A correction that one person has asked for and that waits for the second one; null if there is none. */
export function askedCorrection(table) {
  return offered(table, 'CorrectMeter').find((offer) => offer.command.approval !== 'approval')?.command ?? null;
}
