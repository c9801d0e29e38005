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
  const typed = text.trim().replaceAll(/[\s\u00a0\u202f]/g, '');
  // A comma that parts no thousands is a slip of the decimal mark, and would make the amount a hundred times what is meant.
  const [whole, ...parts] = typed.split(decimal)[0].split(group);
  if (parts.length && (whole.length > 3 || parts.some((part) => part.length !== 3))) return null;
  const plain = typed.replaceAll(group, '').replace(decimal, '.');
  const found = /^(\d{1,12})(?:\.(\d{2}))?$/.exec(plain);
  return found ? Number(found[1] + (found[2] ?? '00')) : null;
}

/** Whole cents as a house-rule file writes them. */
export function written(cents) {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The millionths that a share such as `0.49` is, with a point or the locale's decimal mark; null if it is none. */
export function millionths(text, locale) {
  const found = /^(\d{1,3})(?:\.(\d{1,6}))?$/.exec(text.trim().replace(separators(locale).decimal, '.'));
  const all = found ? Number(found[1] + (found[2] ?? '').padEnd(6, '0')) : -1;
  return all >= 0 && all <= 1_000_000 ? all : null;
}

/** Millionths as a share; as a house-rule file writes it where no locale is given. */
export function share(ppm, locale = '') {
  const text = `${String(ppm).padStart(7, '0').slice(0, -6)}.${String(ppm).padStart(7, '0').slice(-6)}`.replace(/\.?0+$/, '');
  return locale ? text.replace('.', separators(locale).decimal) : text;
}

/** An amount in millionths of a cent, to its last part. */
export function exact(value) {
  const whole = BigInt(value);
  const sign = whole < 0n ? -1n : 1n;
  const parts = (whole * sign) % EXACT;
  const said = amount(Number((whole * sign / EXACT) * sign));
  return parts ? `${said} +${String(parts).padStart(6, '0').replace(/0+$/, '')}` : said;
}
