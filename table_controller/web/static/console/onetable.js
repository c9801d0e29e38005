// One table in full: how it stands, its felt, what needs somebody, what can be decided, its running record.

import { html, nothing } from '../lit-html.js';
import { count, money, say, tables, time, word } from '../table.js';
import { DECISIONS, GROUPS, askedCorrection, mayDecide, refusal } from './decisions.js';
import { decisionKey } from './dialog.js';
import { dayWords } from './glance.js';
import { first, record } from './record.js';
import { seats } from './seats.js';
import { offered } from './offers.js';
import { age, alarmNeed, alarmWords, endsWords, isDead, lineWords, named, openAlarms, phase, secondsLeft, unwell } from './standing.js';
import { notice, state as stateOf } from './shapes.js';

/** What may end a hold, by the words with which the table says it. */
const ENDS = { 'a void': 'VoidRound', resume: 'Resume', 'dead hand': 'DeadHand', 'extra hand killed': 'KillHand', 'new deck': 'NewDeck' };

let answered = '';

/** What is well, as long as the table is heard; after that nobody knows. */
function wellOf(table, words) {
  return isDead(table) ? stateOf('info', `${words}: ${word('not-known')}`, 'off') : stateOf('well', words);
}

function light(table, view) {
  if (isDead(table)) return stateOf('info', word('not-known'), 'off');
  const kind = { green: 'well', yellow: 'warn', red: 'bad', off: 'info' }[view.light];
  const form = { green: 'well', yellow: 'warn', red: 'disc', off: 'off' }[view.light];
  return stateOf(kind, word(`light.${view.light}`), form);
}

function band(table, view, known) {
  const old = age(table);
  const now = phase(view);
  const left = secondsLeft(table);
  return html`
    <section class="band ${old}" data-seq=${known.seq} aria-label=${word('band')}>
      <h2>${table}</h2>
      <div class="band-state">${old === 'live' ? stateOf(now.kind, now.words, now.form)
        : stateOf('bad', `${word(`age.${old}`)}, ${time(known.ageMs())}`, old === 'refused' ? 'lock' : 'bad')}</div>
      <dl>
        <div><dt>${word('round')}</dt><dd class="digits">${view.round || word('none')}</dd></div>
        <div><dt>${word('light')}</dt><dd>${light(table, view)} ${left === null || isDead(table) ? nothing : html`<span class="digits">${word('seconds', { seconds: left })}</span>`}</dd></div>
        <div><dt>${word('dealer')}</dt><dd>${view.on_duty || word('dealer.nobody')}</dd></div>
        <div><dt>${word('day')}</dt><dd>${dayWords(view.day)}</dd></div>
      </dl>
      <div class="band-meter"><span class="quiet">${word('meter')}</span><span class="digits">${view.meter ? money(view.meter.cents) : word('meter.none')}</span></div>
    </section>`;
}

// ------------------------------------------------------------------------------------ what needs somebody

function holdKeys(table, role, ends) {
  const types = Object.entries(ENDS).filter(([words]) => ends.includes(words)).map(([, type]) => type);
  return types.filter((type) => mayDecide(role, type))
    .map((type) => decisionKey(table, type, { refused: refusal(table, type) ?? '', small: true }));
}

function holds(table, view, role) {
  // The award itself says that it holds the table.
  const waits = view.awards.some((award) => award.status === 'waits');
  const own = view.holds.filter((hold) => !(waits && ['jackpot_hold', 'jackpot_hand_in_void_round'].includes(hold)));
  return own.map((hold) => html`
    <li class="need bad">
      <div>${stateOf('bad', named('hold', hold), 'hold')}<p class="quiet">${word('hold.ends', { ends: endsWords(hold, view.hold_ends[hold]) })}</p></div>
      <div class="need-keys">${holdKeys(table, role, view.hold_ends[hold])}</div>
    </li>`);
}

/** A share of a royal is decided with the royal itself, and has no keys of its own. */
function share(view, award) {
  const royal = view.awards.find((one) => one.kind === 'royal' && one.status === 'waits') ?? view.awards.find((one) => one.kind === 'royal');
  return html`
    <li class="need award share bad">
      <div class="award-head">
        ${stateOf('bad', word('award.share', { seat: award.seat }), 'coin')}
        <span class="digits award-amount">${money(award.cents)}</span>
        <span class="digits quiet">${award.document}</span>
      </div>
      <p>${royal ? word('award.with-royal', { seat: royal.seat }) : word('award.with-a-royal')}</p>
    </li>`;
}

function awards(table, view, role) {
  return view.awards.filter((award) => award.status === 'waits').map((award) => {
    if (award.kind === 'share') return share(view, award);
    const spoken = first(award);
    const refused = offered(table, 'ConfirmAward').find((offer) => offer.command.seat === award.seat)?.refused ?? '';
    const given = { seat: award.seat };
    const about = word('place.seat', { seat: award.seat });
    return html`
      <li class="need award bad">
        <div class="award-head">
          ${stateOf('bad', word('award.waits', { seat: award.seat, hand: named('hand', award.hand) }), 'coin')}
          <span class="digits award-amount">${money(award.cents)}</span>
          <span class="digits quiet">${award.document}</span>
        </div>
        <ol class="award-steps">
          <li>${refused.includes('counted') ? stateOf('warn', word('award.count-first')) : refused ? stateOf('warn', refused) : wellOf(table, word('award.countless'))}</li>
          <li>${spoken ? stateOf('info', word(`award.first.${spoken.decision}`, { operator: spoken.operator }), 'person') : stateOf('info', word('award.first.none'), 'off')}</li>
          <li>${stateOf('info', word('award.second.none'), 'off')}</li>
        </ol>
        ${mayDecide(role, 'ConfirmAward') ? html`<div class="need-keys">
          ${decisionKey(table, 'ConfirmAward', { given, refused, about, small: true, primary: true })}
          ${decisionKey(table, 'RejectAward', { given, about, small: true })}
          ${refused.includes('counted') ? decisionKey(table, 'CountStub', { small: true }) : nothing}
        </div>` : nothing}
      </li>`;
  });
}

function alarms(table, view, role, redraw) {
  const acknowledge = async (alarm) => {
    const answer = await say(table, { type: 'ClearAlarm', alarm: alarm.alarm, place: alarm.place ?? '' }, { round: view.round, reason: word('alarm.seen') });
    answered = answer.ok ? word('alarm.done', { alarm: alarmWords(alarm) }) : answer.error;
    redraw();
  };
  // While a hold stands its alarm cannot be acknowledged, and the hold says the same.
  const seeTo = openAlarms(view).filter((alarm) => !view.holds.includes(alarm.alarm)).map((alarm) => ({ alarm, ...alarmNeed(view, alarm) }));
  // What is over stands last.
  return [...seeTo.filter(({ kind }) => kind === 'warn'), ...seeTo.filter(({ kind }) => kind !== 'warn')].map(({ alarm, kind, words }) => html`
    <li class="need ${kind}">
      <div>${stateOf(kind, words)}</div>
      ${mayDecide(role, 'ConfirmAward') ? html`<div class="need-keys"><button class="key small" ?disabled=${isDead(table)} @click=${() => acknowledge(alarm)}>${word('alarm.acknowledge')}<span class="hidden-words"> ${alarmWords(alarm)}</span></button></div>` : nothing}
    </li>`);
}

function owed(table, view, role) {
  return view.owed.map((one) => html`
    <li class="need ${one.hold ? 'info' : 'warn'}">
      <div>${stateOf(one.hold ? 'info' : 'warn', one.hold ? word('owed.withheld', { check: named('choice.hold', one.hold) }) : word('owed'), one.hold ? 'lock' : 'coin')}
        <p><span class="digits award-amount">${money(one.cents)}</span> <span class="digits quiet">${one.document}, ${word('place.seat', { seat: one.seat })}, ${one.round}</span></p></div>
      ${mayDecide(role, 'PayHit') ? html`<div class="need-keys">${one.hold
        ? decisionKey(table, 'ReleaseHit', { given: { document: one.document }, about: one.document, small: true })
        : [decisionKey(table, 'PayHit', { given: { document: one.document }, about: one.document, small: true, primary: true }),
          decisionKey(table, 'WithholdHit', { given: { document: one.document }, about: one.document, small: true })]}</div>` : nothing}
    </li>`);
}

function others(table, view, role) {
  const found = [];
  for (const line of unwell(view)) found.push(html`<li class="need bad"><div>${stateOf('bad', word(`health.${line}`))}</div></li>`);
  if (!view.shoe) found.push(html`<li class="need warn"><div>${stateOf('warn', word('need.shoe'))}</div></li>`);
  if (view.deck_due) found.push(html`<li class="need warn"><div>${stateOf('warn', word('need.deck'))}</div><div class="need-keys">${mayDecide(role, 'NewDeck') ? decisionKey(table, 'NewDeck', { small: true, refused: refusal(table, 'NewDeck') ?? '' }) : nothing}</div></li>`);
  if (view.stub_due) found.push(html`<li class="need warn"><div>${stateOf('warn', word('need.stub'))}</div><div class="need-keys">${mayDecide(role, 'CountStub') ? decisionKey(table, 'CountStub', { small: true }) : nothing}</div></li>`);
  const asked = askedCorrection(table);
  if (asked) {
    found.push(html`<li class="need warn"><div>${stateOf('warn', word('need.correction', { pot: named('choice.pot', asked.pot), amount: money(asked.cents), why: named('choice.why', asked.why), approval: asked.approval }), 'person')}</div>
      <div class="need-keys">${mayDecide(role, 'CorrectMeter') ? decisionKey(table, 'CorrectMeter', { given: { pot: asked.pot, cents: asked.cents, why: asked.why, approval: asked.approval }, small: true }) : nothing}</div></li>`);
  }
  return found;
}

function trial(table, view, role) {
  if (!view.trial) return nothing;
  const lit = view.trial.seat;
  const press = (command) => say(table, command, {});
  const lines = (names) => names.map(lineWords).join(', ') || word('none');
  return html`<li class="need warn trial">
    <div>${stateOf('warn', word('need.trial', { operator: view.trial.operator }))}
      <p class="quiet">${word('trial.tried', { lines: lines(view.trial.tried) })}</p>
      ${view.trial.failed.length ? html`<p>${stateOf('bad', word('trial.failed', { lines: lines(view.trial.failed) }))}</p>` : nothing}</div>
    ${mayDecide(role, 'ConfirmAward') ? html`<div class="need-keys" role="group" aria-label=${word('trial.seats')}>
      ${view.seats.map(({ seat }) => html`<button class="key small" ?disabled=${isDead(table)} aria-pressed=${String(lit === seat)} @click=${() => press({ type: 'TrySeat', seat: lit === seat ? 0 : seat })}>${word('trial.seat', { seat })}</button>`)}
      ${lit ? html`<button class="key small primary" ?disabled=${isDead(table)} @click=${() => press({ type: 'LampSeen', seat: lit })}>${word('trial.lamp-seen', { seat: lit })}</button>` : nothing}
    </div>` : nothing}
  </li>`;
}

function needsPanel(table, view, role, redraw) {
  const list = [awards(table, view, role), holds(table, view, role), others(table, view, role), owed(table, view, role), alarms(table, view, role, redraw)];
  const empty = !view.trial && list.every((part) => !part.length);
  return html`
    <section class="panel needs" aria-labelledby="needs-title">
      <h3 id="needs-title">${word('needs')} ${empty ? nothing : html`<span class="digits badge">${list.flat().length + (view.trial ? 1 : 0)}</span>`}</h3>
      <p class="quiet" role="status">${answered}</p>
      ${empty ? (isDead(table) ? stateOf('bad', word(age(table) === 'refused' ? 'need.refused' : 'need.offline'), age(table) === 'refused' ? 'lock' : 'bad') : stateOf('well', word('glance.nothing'))) : html`<ul class="need-list">${list}${trial(table, view, role)}</ul>`}
    </section>`;
}

// ------------------------------------------------------------------------------------ what can be decided

function decisions(table, role) {
  if (role === 'auditor') return html`<section class="panel decisions">${notice('info', word('decisions.auditor'), 'lock')}</section>`;
  return html`
    <section class="panel decisions" aria-labelledby="decisions-title">
      <h3 id="decisions-title">${word('decisions')}</h3>
      <div class="groups">${GROUPS.map((group) => {
        const types = Object.keys(DECISIONS).filter((type) => DECISIONS[type].group === group && mayDecide(role, type));
        return types.length ? html`<div class="group" role="group" aria-labelledby=${`group-${group}`}>
          <h4 id=${`group-${group}`}>${word(`group.${group}`)}</h4>
          <div class="group-keys">${types.map((type) => {
            const refused = refusal(table, type);
            return decisionKey(table, type, { refused: refused === null ? word('decisions.unknown') : refused, small: true });
          })}</div></div>` : nothing;
      })}</div>
    </section>`;
}

function about(table, view, known, config) {
  const health = ['meter', 'display', 'door', 'mains'].filter((line) => view.meter || !['meter', 'display'].includes(line));
  const pot = (name) => (view.meter?.[`${name}_cents`] ? html`<div><dt>${word(`pot.${name}`)}</dt><dd class="digits">${money(view.meter[`${name}_cents`])}</dd></div>` : nothing);
  return html`
    <section class="panel about" aria-labelledby="about-title">
      <h3 id="about-title">${word('about')}</h3>
      <dl>
        <div><dt>${word('health')}</dt><dd class="lines-of">${health.map((line) => (view.health[line] ? wellOf(table, word(`line.${line}`)) : stateOf('bad', word(`health.${line}`))))}
          ${view.shoe ? wellOf(table, word('line.shoe')) : stateOf('bad', word('need.shoe'))}</dd></div>
        <div><dt>${word('deck')}</dt><dd>${view.deck_due ? stateOf('warn', word('need.deck')) : view.stub_due ? stateOf('warn', word('need.stub')) : isDead(table) ? wellOf(table, word('deck')) : wellOf(table, word('deck.well'))}</dd></div>
        ${pot('reserve')}${pot('overflow')}${pot('house_added')}
        <div><dt>${word('rounds')}</dt><dd class="digits">${count(view.rounds)}</dd></div>
        <div><dt>${word('software')}</dt><dd class="digits software">${known.house?.software ?? word('none')}</dd></div>
        <div><dt>${word('software.web')}</dt><dd class="digits software">${config.version ?? word('none')}</dd></div>
      </dl>
    </section>`;
}

/** The page of one table. */
export function oneTable({ table, config, redraw }) {
  const known = tables.get(table);
  const role = config.operator?.role ?? '';
  if (!known?.state) {
    const old = age(table);
    return html`<section class="panel">${notice('bad', word(old === 'refused' ? 'need.refused' : 'table.silent', { table }), old === 'refused' ? 'lock' : 'bad')}</section>`;
  }
  const view = known.state;
  const old = age(table);
  return html`
    ${band(table, view, known)}
    ${old === 'live' ? nothing : html`<div class="old">${notice(old === 'stale' ? 'warn' : 'bad', word(`old.${old}`, { time: time(known.ageMs()) }), old === 'refused' ? 'lock' : old === 'stale' ? 'warn' : 'bad')}</div>`}
    <div class="desk ${old}">
      <div class="desk-main">${seats({ state: view })}${decisions(table, role)}</div>
      <div class="desk-needs">${needsPanel(table, view, role, redraw)}${about(table, view, known, config)}</div>
      <div class="desk-record">${record({ table, redraw })}</div>
    </div>`;
}
