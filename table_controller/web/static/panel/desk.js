// What this page knows beside the table's own picture, and how it speaks: one word, one effect.

import { ask, OFFLINE_MS, say, STALE_MS, tables, word } from '../table.js';
import { KEY_OF_PHASE, keyRefused } from './model.js';

/** The state of this page alone: what is selected, what is open, what waits for an answer. */
export const ui = {
  table: '',
  config: null,
  operator: null,
  spot: null,
  entry: [],
  sheet: null,
  refusal: '',
  offers: null,
  ticks: { round: '', seats: [] },
  free: { round: '', spots: new Set() },
  refusedKey: { round: '', phase: '', refused: '', known: false },
  busy: new Set(),
};

const GHOST_MS = 450;
const SHOWN_WITHIN_MS = 2000;
const OFFERS_AFTER_MS = 150;
const REFUSAL_MS = 12_000;
let paint = () => {};
let unsettle = 0;
let forget = 0;

/** Names the function that paints the page. */
export function paintWith(painter) {
  paint = painter;
}

/** Paints the page again. */
export function repaint() {
  paint();
}

/** The newest picture of this page's table; undefined before the first one. */
export function picture() {
  return tables.get(ui.table);
}

/**
 * What lies under a finger has changed: for a moment no tap counts, so that the second tap of a double one
 * does not press what came in the first one's place. The keyboard is not concerned.
 */
export function settle() {
  const root = document.documentElement;
  root.classList.add('settling');
  clearTimeout(unsettle);
  unsettle = setTimeout(() => root.classList.remove('settling'), GHOST_MS);
}

/** Whether that command is under way. */
export function isBusy(command) {
  return ui.busy.has(JSON.stringify(command));
}

/**
 * Says a command about the round that is painted (or that its sheet was opened in), once however often it is tapped.
 * Its key stays shut until the picture shows what came of it. Resolves to the answer, or null where one is under way.
 */
export async function speak(command, { round = picture()?.state?.round ?? '', reason = '', operator, pin } = {}) {
  const key = JSON.stringify(command);
  if (ui.busy.has(key)) return null;
  // Nothing is said about a picture that may be old: a key at the table is surer.
  if ((picture()?.ageMs() ?? 0) >= OFFLINE_MS) {
    refuse(word('age.offline_long'));
    return null;
  }
  ui.busy.add(key);
  ui.refusal = '';
  repaint();
  let answer;
  try {
    answer = await say(ui.table, command, { round, reason, operator, pin });
  } catch (error) {
    answer = { ok: false, seq: 0, error: String(error?.message ?? error), status: 0 };
  }
  if (!answer.ok) refuse(answer.error);
  await shown(answer);
  ui.busy.delete(key);
  repaint();
  return answer;
}

/** Shows why something was refused, for a while and until the next word. */
export function refuse(text) {
  ui.refusal = text || '…';
  clearTimeout(forget);
  forget = setTimeout(() => { ui.refusal = ''; repaint(); }, REFUSAL_MS);
  repaint();
}

// An answer may come before the picture that shows its effect.
function shown(answer) {
  if (!answer.ok || (picture()?.seq ?? 0) >= answer.seq) return Promise.resolve();
  return new Promise((resolve) => {
    const entry = { seq: answer.seq, resolve };
    entry.timer = setTimeout(() => release(entry), SHOWN_WITHIN_MS);
    waiting.push(entry);
  });
}

const waiting = [];

function release(entry) {
  const at = waiting.indexOf(entry);
  if (at >= 0) waiting.splice(at, 1);
  clearTimeout(entry.timer);
  entry.resolve();
}

/** A newer picture has come: whoever waited for it goes on. */
export function pictureCame() {
  const seq = picture()?.seq ?? 0;
  seeFree();
  for (const entry of waiting.filter((one) => one.seq <= seq)) release(entry);
  askOffers();
}

// The spots that were seen without chips since this round was opened: chips on them came in it.
function seeFree() {
  const state = picture()?.state;
  if (!state) return;
  if (ui.free.round !== state.round) ui.free = { round: state.round, spots: new Set() };
  if (state.phase !== 'betting') return;
  for (const seat of state.seats) {
    for (const name of ['ante', 'bonus']) if (!seat[name].chips) ui.free.spots.add(`${name} ${seat.seat}`);
  }
}

let asking = false;

// What is possible is asked once a picture, a moment after it: a burst of pictures is one question.
function askOffers() {
  const now = picture();
  // A table that is not heard does not answer either.
  if (!now?.state || asking || now.ageMs() >= STALE_MS || sameMoment(ui.offers, now)) return;
  asking = true;
  setTimeout(async () => {
    const moment = picture();
    const list = await ask(ui.table, 'offers').then((answer) => answer?.offers, () => null);
    // Without an answer nothing is said to be impossible: the table itself refuses what is.
    ui.offers = list ? { ...scene(moment), boot: moment.boot, seq: moment.seq, list } : null;
    asking = false;
    repaint();
    // A lost answer is no answer about this picture: the next picture, or the next second, asks again.
    if (list && !sameMoment(ui.offers, picture())) askOffers();
  }, OFFERS_AFTER_MS);
}

function scene({ state }) {
  return { round: state.round, phase: state.phase };
}

function sameMoment(offers, now) {
  return Boolean(offers) && offers.boot === now.boot && offers.seq === now.seq;
}

/** What is possible by the table's last answer; null while it is not known for this picture. */
export function offers() {
  const now = picture();
  return ui.offers && now && ui.offers.boot === now.boot && ui.offers.seq === now.seq ? ui.offers.list : null;
}

/**
 * What is possible by the table's last answer about this phase, also while the next one is awaited, so that
 * keys do not flicker; null while there is none.
 */
export function offersLately() {
  const state = picture()?.state;
  return state && ui.offers?.round === state.round && ui.offers.phase === state.phase ? ui.offers.list : null;
}

/** Why the key of the phase is refused, by the last answer about this phase so that it does not flicker; `known` once there is one. */
export function refusedNow() {
  const state = picture()?.state;
  if (!state) return { refused: '', known: false };
  const key = KEY_OF_PHASE[state.phase];
  const list = offers();
  // That the table is held says nothing of what it refuses afterwards.
  if (list && !state.holds.length) ui.refusedKey = { round: state.round, phase: state.phase, refused: keyRefused(list, key), known: true };
  const { round, phase } = ui.refusedKey;
  return round === state.round && phase === state.phase ? ui.refusedKey : { refused: '', known: false };
}

/** Opens a sheet over the page, bound to the round that is painted. */
export function openSheet(kind, fields = {}) {
  ui.sheet = { kind, round: picture()?.state?.round ?? '', ...fields };
  ui.refusal = '';
  settle();
  repaint();
}

/** Closes the sheet. */
export function closeSheet() {
  if (!ui.sheet) return;
  ui.sheet = null;
  settle();
  repaint();
}
