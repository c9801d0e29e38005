// The running record: what the table decides, in sentences, as it happens. What was before this page was opened
// is asked for by the number of its round.

import { html, nothing } from '../lit-html.js';
import { amount, clock, tables, word } from '../table.js';
import { lineWords, named, placeWords } from './standing.js';

const SHOWN = 200;

const KINDS = {
  alarms: ['Restarted', 'AlarmRaised', 'AlarmCleared', 'HoldPlaced', 'HoldEnded', 'DeckFinding', 'Noticed'],
  money: [
    'BetsLocked', 'MeterChanged', 'MeterReset', 'MeterCorrected', 'CorrectionSeconded', 'ShareWon', 'RoundSettled', 'RoundVoided',
    'AwardHeld', 'AwardSeconded', 'AwardPaid', 'AwardRejected', 'HitRecorded', 'HitDecided', 'HitWithdrawn', 'HitPaid',
    'HitWithheld', 'HitReleased', 'CoinAccepted', 'CoinReturned',
  ],
  refused: ['KeyRefused', 'CommandRefused', 'AccessRefused'],
  day: [
    'TableInstalled', 'TableRecovered', 'DayOpened', 'DayClosed', 'ShiftChanged', 'HouseChanged', 'SoftwareChanged', 'ClockWasSet',
    'TrialBegun', 'TrialEnded', 'LineTried', 'WalkRecorded', 'DeckChanged', 'DealerChanged', 'ParameterChanged', 'KeysListed',
  ],
};
const KIND_OF = new Map(Object.entries(KINDS).flatMap(([kind, types]) => types.map((type) => [type, kind])));
const FILTERS = ['told', 'all', 'alarms', 'money', 'play', 'refused', 'day'];
const GRAVE = new Set(['Restarted', 'AlarmRaised', 'HoldPlaced', 'RoundVoided', 'SoftwareChanged', 'AwardHeld']);

let filter = 'told';

function kindOf(type) {
  return KIND_OF.get(type) ?? 'play';
}

function value(key, one) {
  if (key.endsWith('cents') && Number.isInteger(one)) return amount(one);
  if (['line', 'missing', 'failed'].includes(key)) return [one].flat().map(lineWords).join(', ') || word('none');
  if (Array.isArray(one)) return one.map((part) => value('', part)).join(', ') || word('none');
  if (key === 'hold') return named('hold', one);
  if (key === 'alarm') return named('alarm', one);
  if (key === 'statement' || key === 'command') return named('command', one);
  if (key === 'phase') return named('phase', one);
  if (key === 'key') return named('key', one);
  if (key === 'place') return placeWords(one);
  if (key === 'passed') return word(one ? 'fact.all-work' : 'fact.not-all-work');
  if (key === 'why') return named(word(`choice.why.${one}`) === `choice.why.${one}` ? 'why' : 'choice.why', one);
  if (key === 'hand') return named('hand', one);
  if (key === 'option') return named('choice.option', one);
  if (key === 'pot') return named('choice.pot', one);
  if (['at', 'cause', 'decision', 'by'].includes(key)) return named(`say.${key}`, one);
  if (key === 'finding' || key === 'notice') return named(key, one);
  return one === '' || one == null ? word('none') : String(one);
}

/** A fact as a sentence; one that this page does not know is told by its name and fields. */
export function sentence(fact) {
  const { type, ...fields } = fact;
  const values = Object.fromEntries(Object.entries(fields).map(([key, one]) => [key, value(key, one)]));
  if (type === 'DeckFinding' && !fact.card) values.card = '';
  if (type === 'AccessRefused' && !fact.who) values.who = word('fact.somebody');
  if (type === 'HitWithheld') values.hold = named('check', fact.hold);
  if (type === 'AlarmRaised' || type === 'AlarmCleared' || type === 'Noticed') {
    values.where = fact.place ? word('fact.where', { place: values.place }) : '';
  }
  if (type === 'BetsLocked') values.number = fact.bets.length;
  if (type === 'DealerChanged') {
    values.before = fact.before || word('dealer.nobody');
    values.after = fact.after || word('dealer.nobody');
  }
  const key = `fact.${type}`;
  const said = word(key, values);
  if (said !== key) return said.trim();
  return `${type} ${Object.entries(values).map(([name, one]) => `${name} ${one}`).join(', ')}`;
}

/** Whether somebody has acknowledged this alarm of the round. */
export function acknowledged(state, alarm) {
  return state.cleared.some((one) => one.alarm === alarm.alarm && one.place === alarm.place);
}

/** Who has spoken first about an award, {operator, decision}; null while nobody has. */
export function first(award) {
  return award.first_operator ? { operator: award.first_operator, decision: award.first_decision } : null;
}

/** The running record of a table with its filter. */
export function record({ table, redraw }) {
  const facts = tables.get(table)?.facts ?? [];
  // What the felt shows anyway, as each card of the deal, is told only to who asks for the play.
  const wanted = (one) => (filter === 'told' ? !one.quiet : filter === 'all' || kindOf(one.fact.type) === filter);
  const numbers = { told: facts.filter((one) => !one.quiet).length, all: facts.length };
  for (const { fact } of facts) numbers[kindOf(fact.type)] = (numbers[kindOf(fact.type)] ?? 0) + 1;
  const chosen = facts.filter(wanted).slice(-SHOWN).reverse();
  return html`
    <section class="panel record" aria-labelledby="record-title">
      <h3 id="record-title">${word('record')}</h3>
      <div class="filters" role="group" aria-label=${word('record.filter')}>
        ${FILTERS.map((name) => html`
          <button class="key small" aria-pressed=${String(filter === name)} @click=${() => { filter = name; redraw(); }}>
            ${word(`record.${name}`)} <span class="digits">${numbers[name] ?? 0}</span></button>`)}
      </div>
      <ol class="lines" tabindex="0" aria-label=${word('record')}>
        ${chosen.map(({ seq, wall_ms: wall, fact }) => html`
          <li class="line ${kindOf(fact.type)} ${GRAVE.has(fact.type) ? 'grave' : ''}">
            <span class="digits quiet">${clock(wall)}</span><span class="words">${sentence(fact)}</span><span class="digits quiet entry">${seq}</span>
          </li>`)}
        ${chosen.length ? nothing : html`<li class="quiet nothing-yet">${word(['told', 'all'].includes(filter) ? 'record.empty' : 'record.nothing')}</li>`}
      </ol>
    </section>`;
}
