// The parameters of the progressive: what each is now, and whether what is typed can be one.

import { amount, tables, word } from '../table.js';
import { cents as readCents, millionths, share, written } from './amounts.js';
import { named } from './standing.js';

const WHOLE_PPM = 1_000_000;

/** Whether a parameter is a share of the coin; the others are amounts. */
export function isShare(option) {
  return option === 'meter_share' || option === 'reserve_share';
}

/** What a parameter is now, as the site's locale writes it. */
export function currentWords(table, option, locale) {
  const rules = tables.get(table)?.house?.rules;
  if (!rules) return word('not-known');
  if (isShare(option)) return share(rules[`${option}_ppm`], locale);
  return option === 'meter_limit' && !rules.meter_limit_cents ? word('none') : amount(rules[`${option}_cents`]);
}

/**
 * What is typed for a parameter, {value, problem}: as a house-rule file writes it, or a sentence why it cannot be.
 * The table judges it once more, also together with what waits for the next reset.
 */
export function parameterOf(table, option, typed, locale) {
  const { house, state } = tables.get(table);
  const { rules } = house;
  const field = named('choice.option', option);
  if (isShare(option)) {
    const ppm = millionths(typed, locale);
    if (ppm === null) return { problem: word('wrong.share', { field, typed, example: share(485_000, locale) }) };
    const together = ppm + rules[option === 'meter_share' ? 'reserve_share_ppm' : 'meter_share_ppm'];
    if (together > WHOLE_PPM) return { problem: word('wrong.shares', { together: share(together, locale) }) };
    return { value: share(ppm) };
  }
  const read = readCents(typed, locale);
  if (read === null || (option === 'coin_value' && !read)) return { problem: word('wrong.money', { field, typed, example: amount(1_250_050) }) };
  const reset = option === 'reset' ? read : rules.reset_cents;
  const limit = option === 'meter_limit' ? read : rules.meter_limit_cents;
  if (['reset', 'meter_limit'].includes(option) && limit && reset > limit) {
    return { problem: word('wrong.reset', { reset: amount(reset), limit: amount(limit) }) };
  }
  if (option === 'meter_limit' && read && rules.parameter_change === 'closed_only' && read < state.meter.cents) {
    return { problem: word('wrong.limit', { limit: amount(read), meter: amount(state.meter.cents) }) };
  }
  return { value: written(read) };
}
