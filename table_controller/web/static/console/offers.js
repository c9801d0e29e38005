// What can be done at a table now, asked of the table itself. It is asked while somebody works at this page, so that
// a console that is left alone does not keep the table busy.

import { STALE_MS, ask, tables } from '../table.js';

const AGAIN_MS = 1500;
const WORKING_MS = 5 * 60_000;

const found = new Map();
let workedAt = Date.now();

/** Somebody has touched the page. */
export function touched() {
  workedAt = Date.now();
}

/** The offers of a table, [{command, role, refused}]; empty while they are not known. */
export function offersOf(table) {
  return found.get(table)?.offers ?? [];
}

/** The offers for a word; where there are none, the table was not asked yet or the word needs no offer. */
export function offered(table, type) {
  return offersOf(table).filter((offer) => offer.command.type === type);
}

/** Ask again if the table has moved on since, one question at a time. */
export async function refreshOffers(table, done, now = false) {
  const known = tables.get(table);
  // A table that is not heard would not answer either.
  if (!known?.state || known.refused || known.ageMs() > STALE_MS) return;
  const have = found.get(table) ?? { key: '', at: 0, offers: [], asking: false };
  found.set(table, have);
  const key = `${known.boot}/${known.seq}`;
  const soon = Date.now() - have.at < AGAIN_MS || Date.now() - workedAt > WORKING_MS;
  if (have.asking || (!now && (have.key === key || soon))) return;
  have.asking = true;
  have.at = Date.now();
  try {
    const answer = await ask(table, 'offers');
    if (Array.isArray(answer?.offers)) {
      have.offers = answer.offers;
      have.key = key;
    }
  } catch {
    // The age of the table says already that it is silent.
  } finally {
    have.asking = false;
    done();
  }
}
