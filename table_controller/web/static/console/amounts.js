// What a person types as an amount, in whole cents, and exact parts of a cent. No fractions of numbers anywhere.

import { amount } from '../table.js';

const EXACT = 1_000_000n;

function separators(locale) {
  const parts = new Intl.NumberFormat(locale).formatToParts(12345.6);
  const of = (type, other) => parts.find((part) => part.type === type)?.value ?? other;
  return { group: of('group', ','), decimal: of('decimal', '.') };
}

/** The whole cents that a text such as `1,234.50` is in that locale; null if it is no amount. */
export function cents(text, locale) {
  const { group, decimal } = separators(locale);
  const plain = text.trim().replaceAll(/[\s\u00a0\u202f]/g, '').replaceAll(group, '').replace(decimal, '.');
  const found = /^(\d{1,12})(?:\.(\d{2}))?$/.exec(plain);
  return found ? Number(found[1] + (found[2] ?? '00')) : null;
}

/** An amount in millionths of a cent, to its last part. */
export function exact(value) {
  const whole = BigInt(value);
  const sign = whole < 0n ? -1n : 1n;
  const parts = (whole * sign) % EXACT;
  const said = amount(Number((whole * sign / EXACT) * sign));
  return parts ? `${said} +${String(parts).padStart(6, '0').replace(/0+$/, '')}` : said;
}
