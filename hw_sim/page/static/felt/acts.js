// Acts: each goes up under an id of its own and is said again under the same id until there is an answer.
import { word, money } from '../table.js';
import { model, moment } from './model.js';

const TRIES = 5;
const PAUSE_MS = 400;
const SETTLE_MS = 350; // A second tap belongs to the key that was there before.
let changed = () => {};
let busy = '';
let quietUntil = 0;
let queue = Promise.resolve();

/** Tells who is to draw the page again. */
export function onChange(draw) {
  changed = draw;
}

/** Draws the page again after something that only this screen knows. */
export function redraw() {
  changed();
}

/** Whether an act is on its way. */
export function acting() {
  return busy !== '';
}

/** Does a thing once: while it is on its way, and for a moment after, another tap does nothing. */
export async function once(act) {
  if (busy || performance.now() < quietUntil) return null;
  busy = act.do;
  changed();
  const answer = await send(act);
  busy = '';
  quietUntil = performance.now() + SETTLE_MS;
  show(answer, act);
  return answer;
}

/** Does a thing after those before it, each time it is asked: chips are laid as often as they are tapped. */
export function again(act) {
  queue = queue.then(async () => show(await send(act), act));
  return queue;
}

async function send(act) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    try {
      const response = await fetch('/api/acts', { method: 'POST', headers, body: JSON.stringify(act) });
      return await response.json();
    } catch {
      await new Promise((done) => { setTimeout(done, PAUSE_MS); });
    }
  }
  return { ok: false, word: 'page_lost', values: {} };
}

function show(answer, act) {
  const works = wasTried(answer);
  model.problem = answer.ok || works ? '' : refusal(answer);
  // Only a refused act marks its spot: an accepted bet is drawn like any other.
  model.problemAt = model.problem && act.spot ? `${act.seat} ${act.spot}` : '';
  model.news = works ? word('felt.key_tried', { key: word(`felt.key.${answer.values.key}`) }) : '';
  model.saidAt = moment();
  changed();
}

// In a trial no key acts, and one that works is told to the record instead: the snapshot names it.
function wasTried({ word: key, values }) {
  return key === 'key_dead' && (model.picture?.state?.trial?.tried.includes(`key.${values.key}`) ?? false);
}

function refusal({ word: key = 'page_lost', values = {} }) {
  const filled = { ...values };
  if (typeof values.cents === 'number') filled.cents = money(values.cents);
  return word(`felt.no.${key}`, filled);
}
