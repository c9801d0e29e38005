// The papers of a table, made from its journal: the day's report, charts, the log of hits with its slips,
// the record of any round, the meters.

import { html, nothing } from '../lit-html.js';
import { amount, count, money, paper, tables, time, word } from '../table.js';
import { exact } from './amounts.js';
import { alarmsChart, meterChart, roundsChart } from './charts.js';
import { named, placeWords } from './standing.js';
import { notice, state } from './shapes.js';

const TABS = ['day', 'charts', 'hits', 'round', 'meters'];
const LATEST = 200;

let tab = 'day';
let shown = {};
let of = '';

function dayAndTime(ms, locale) {
  return ms == null ? '' : new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium' }).format(ms);
}

/** Ask for a paper once; what comes is kept until it is asked for anew. */
async function load(name, table, kind, query, redraw) {
  const mine = { busy: true, body: shown[name]?.body ?? null, error: '', query };
  shown[name] = mine;
  redraw();
  try {
    const answer = await paper(table, kind, query);
    if (answer?.error) mine.error = answer.error;
    else mine.body = answer;
  } catch (error) {
    mine.error = error.message || word('papers.none');
  }
  mine.busy = false;
  redraw();
}

/** A text as a file that is saved, never opened: a page of the journal shares nothing with this one. */
function save(text, name, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function grid(title, heads, rows, amounts = []) {
  if (!rows.length) return nothing;
  const of = (index) => (amounts.includes(index) ? 'amount' : '');
  return html`<section class="panel paper-part"><h3>${title}</h3><div class="scroll" tabindex="0" role="region" aria-label=${title}><table>
    <thead><tr>${heads.map((head, index) => html`<th scope="col" class=${of(index)}>${head}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell, index) => html`<td class=${of(index)}>${cell}</td>`)}</tr>`)}</tbody></table></div></section>`;
}

function pairs(title, rows) {
  return html`<section class="panel paper-part"><h3>${title}</h3><dl class="pairs">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd class="digits">${value}</dd></div>`)}</dl></section>`;
}

// ------------------------------------------------------------------------------------ the report of a day

const heads = (...names) => names.map((name) => word(`head.${name}`));

function report(body, locale, house) {
  // A house without the 5+1 bonus has no column for it, unless one was bet under the rules before.
  const bonus = !house || house.rules.bonus_pays?.length > 0 || body.seats.some((one) => one.bonus_cents);
  const { payouts, coins } = body;
  const off = body.reconciliation.filter((check) => check.off);
  return html`
    ${body.reconciles ? notice('well', word('report.reconciles')) : notice('bad', html`<strong>${word('report.differs')}</strong> ${off.map((check) => check.item).join('; ')}`)}
    <div class="paper-grid">
      ${pairs(body.title, [
        [word('report.from'), dayAndTime(body.from_ms, locale)],
        [word('report.until'), dayAndTime(body.until_ms, locale)],
        [word('report.lasted'), time(body.lasted_ms)],
        [word('report.entries'), `${count(body.first_entry)} – ${count(body.last_entry)}`],
        [word('report.settled'), count(body.rounds_settled)],
        [word('report.void'), count(body.rounds_void)],
        ...(body.in_play ? [[word('report.in-play'), body.in_play]] : []),
        [word('software'), body.software],
      ])}
      ${pairs(word('report.awards'), [
        [word('report.by-dealer'), `${count(payouts.by_dealer)} / ${amount(payouts.by_dealer_cents)}`],
        [word('report.confirmed'), `${count(payouts.confirmed)} / ${amount(payouts.confirmed_cents)}`],
        [word('report.at-table'), amount(payouts.at_table_cents)],
        [word('report.at-cage'), amount(payouts.at_cage_cents)],
        [word('report.owed'), amount(payouts.owed_cents)],
        [word('report.withheld'), amount(payouts.withheld_cents)],
        [word('report.rejected'), `${count(payouts.rejected)} / ${amount(payouts.rejected_cents)}`],
        [word('report.of-meter'), amount(payouts.of_meter_cents)],
        [word('report.house-added'), amount(payouts.house_added_cents)],
      ])}
      ${pairs(word('report.coins'), [
        [word('report.coins-bet'), `${count(coins.bet)} / ${amount(coins.bet_cents)}`],
        [word('report.coins-back'), `${count(coins.refunded)} / ${amount(coins.refunded_cents)}`],
        [word('report.to-meter'), exact(body.to_meter_exact)],
        [word('report.to-reserve'), exact(body.to_reserve_exact)],
        [word('report.to-house'), exact(body.to_house_exact)],
        [word('report.resets'), `${count(body.resets)} / ${amount(body.seeded_cents)}`],
      ])}
    </div>
    ${grid(word('report.seats'), heads('seat', 'hands', 'ante', 'raise', ...(bonus ? ['bonus'] : []), 'back', 'house-result', 'coins', 'awards'),
      body.seats.map((one) => [one.seat, count(one.hands), amount(one.ante_cents), amount(one.raise_cents), ...(bonus ? [amount(one.bonus_cents)] : []),
        amount(one.refunded_cents), amount(one.result_cents), count(one.coins), amount(one.awards_cents)]), bonus ? [2, 3, 4, 5, 6, 8] : [2, 3, 4, 5, 7])}
    ${grid(word('report.dealers'), heads('dealer', 'rounds', 'on-duty', 'an-hour'),
      body.dealers.map((one) => [one.dealer || word('dealer.nobody'), count(one.rounds), time(one.on_duty_ms), Math.round(one.rounds_an_hour)]))}
    ${grid(word('report.custody'), heads('cause', 'meter', 'reserve', 'overflow'),
      body.custody.map((one) => [named('row', one.cause), exact(one.meter_exact), exact(one.reserve_exact), exact(one.overflow_exact)]), [1, 2, 3])}
    ${grid(word('report.alarms'), heads('alarm', 'number'), body.alarms.map((one) => [named('alarm', one.what), count(one.number)]))}
    ${grid(word('report.refused'), heads('who', 'what', 'number'), body.refused.map((one) => [one.who, named('command', one.what), count(one.number)]))}
    ${grid(word('report.corrections'), heads('entry', 'when', 'what', 'before', 'after', 'who', 'reason'),
      body.corrections.map((one) => [one.entry, dayAndTime(one.wall_ms, locale), `${one.pot}: ${named('choice.why', one.why)}`, amount(one.before_cents), amount(one.after_cents), one.who, one.reason]), [3, 4])}
    ${grid(word('report.changes'), heads('entry', 'when', 'what', 'before', 'after', 'who', 'reason'),
      body.changes.map((one) => [one.entry, dayAndTime(one.wall_ms, locale), `${one.kind}: ${one.place}`, one.before, one.after, one.who, one.reason || one.approval]))}
    ${grid(word('report.happenings'), heads('entry', 'when', 'what', 'who'),
      body.happenings.map((one) => [one.entry, dayAndTime(one.wall_ms, locale), one.words, one.who]))}`;
}

function dayTab({ table, config, redraw }) {
  const paperOf = shown.day;
  const ask = (event) => {
    event?.preventDefault();
    const entered = event ? new FormData(event.currentTarget) : new FormData();
    const query = {};
    for (const name of ['day', 'shift', 'rounds']) {
      const typed = String(entered.get(name) ?? '').trim();
      if (typed) query[name] = typed;
    }
    load('day', table, 'report', query, redraw);
  };
  if (!paperOf) queueMicrotask(() => ask());
  return html`
    <form class="asking panel" @submit=${ask}>
      ${['day', 'shift', 'rounds'].map((name) => html`<div class="entry-field"><label for=${`ask-${name}`}>${word(`ask.${name}`)}</label>
        <input class="field" id=${`ask-${name}`} name=${name} autocomplete="off" maxlength="40"></div>`)}
      <button class="key primary" ?disabled=${paperOf?.busy}>${word('ask.report')}</button>
      <p class="quiet">${word('ask.hint')}</p>
    </form>
    ${standing(paperOf)}
    ${paperOf?.body ? report(paperOf.body, config.locale, tables.get(table)?.house) : nothing}`;
}

function standing(one) {
  return html`<div role="status">${one?.busy ? state('info', word('papers.busy'), 'off') : one?.error ? notice('bad', one.error) : nothing}</div>`;
}

// ------------------------------------------------------------------------------------ charts, hits, rounds, meters

function chartsTab({ table, config, redraw }) {
  if (!shown.rounds) queueMicrotask(() => load('rounds', table, 'rounds', {}, redraw));
  const rounds = shown.rounds?.body?.rounds ?? null;
  const kinds = new Map();
  for (const one of rounds ?? []) {
    for (const alarm of one.alarms) {
      const name = alarm.split(' ')[0];
      kinds.set(name, (kinds.get(name) ?? 0) + 1);
    }
  }
  const alarms = [...kinds].map(([name, number]) => ({ words: named('alarm', name), number }));
  return html`
    <div class="again"><button class="key" ?disabled=${shown.rounds?.busy} @click=${() => load('rounds', table, 'rounds', {}, redraw)}>${word('papers.again')}</button>${standing(shown.rounds)}</div>
    ${rounds ? html`<div class="charts">${meterChart(rounds, config.locale)}${roundsChart(rounds, config.locale)}${alarmsChart(alarms)}</div>
      ${roundList(rounds, { table, config, redraw })}` : nothing}`;
}

function roundList(rounds, { table, config, redraw }) {
  const latest = rounds.slice(-LATEST).reverse();
  return grid(word('papers.latest'), heads('round', 'when', 'result', 'alarms', 'awards', 'meter'),
    latest.map((one) => [
      html`<button class="key small link" @click=${() => askRound(one.round, table, redraw)}>${one.round}</button>`,
      dayAndTime(one.opened_ms, config.locale), word(`ended.${one.result || 'open'}`), one.alarms.map(alarmOf).join(', '),
      one.awards.map(awardOf).join(', '), one.meter_cents === null ? '' : money(one.meter_cents)]), [5]);
}

// The list of rounds tells an alarm as `coin_stuck 5`, an award as `seat 2 full_house 100.00 paid`.
function alarmOf(text) {
  const [alarm, ...place] = text.split(' ');
  return [named('alarm', alarm), placeWords(place.join(' '))].filter(Boolean).join(', ');
}

function awardOf(text) {
  const found = /^seat (\d+) (\w+) (\d+)\.(\d\d) (\w+)$/.exec(text);
  if (!found) return text.replaceAll('_', ' ');
  const [, seat, hand, whole, part, status] = found;
  return `${word('place.seat', { seat })}: ${named('hand', hand)} ${amount(Number(whole + part))}, ${named('hit', status)}`;
}

function askRound(number, table, redraw) {
  tab = 'round';
  load('round', table, 'round', { number }, redraw);
}

function hitsTab({ table, config, redraw }) {
  const ask = (all) => load('hits', table, 'hits', all ? { all: '1' } : {}, redraw);
  if (!shown.hits) queueMicrotask(() => ask(false));
  const body = shown.hits?.body;
  const slip = (hit) => load('slip', table, 'slip', { document: hit.document }, redraw);
  const kinds = { waits: 'warn', owed: 'warn', withheld: 'info', paid: 'well', rejected: 'bad', withdrawn: 'bad' };
  return html`
    <div class="again">
      <button class="key" aria-pressed=${String(!shown.hits?.query?.all)} @click=${() => ask(false)}>${word('hits.last')}</button>
      <button class="key" aria-pressed=${String(Boolean(shown.hits?.query?.all))} @click=${() => ask(true)}>${word('hits.all')}</button>
      ${standing(shown.hits)}
    </div>
    ${body?.gaps.length ? notice('warn', body.gaps.join(' ')) : nothing}
    ${body && !body.hits.length ? html`<p class="panel quiet">${word('hits.none')}</p>` : nothing}
    ${body ? grid(word('hits.title', { number: body.hits.length, found: body.found }), heads('document', 'when', 'round', 'seat', 'hand', 'amount', 'meter', 'status', 'decided', 'slip'),
      [...body.hits].reverse().map((hit) => [hit.document, dayAndTime(hit.wall_ms, config.locale), hit.round, hit.seat, named('hand', hit.kind === 'share' ? `share_of_${hit.hand}` : hit.hand), money(hit.cents), money(hit.meter_cents),
        state(kinds[hit.status], word(`hit.${hit.status}`)), hit.decided_by.join(', '), html`<button class="key small link" @click=${() => slip(hit)}>${word('hits.slip')}<span class="hidden-words"> ${hit.document}</span></button>`]), [5, 6]) : nothing}
    ${sheet('slip', 'document', { table, redraw })}`;
}

/** A paper as text, with a key that saves the page for paper. */
function sheet(kind, field, { table, redraw }) {
  const one = shown[kind];
  if (!one) return nothing;
  const name = one.query[field];
  const page = async () => {
    try {
      const answer = await fetch(`/api/tables/${encodeURIComponent(table)}/papers/${kind}?${new URLSearchParams({ ...one.query, html: '1' })}`);
      if (answer.ok) save(await answer.text(), `${kind}-${name}.html`, 'text/html');
      else one.error = (await answer.json()).error;
    } catch {
      one.error = word('papers.none');
    }
    redraw();
  };
  return html`<section class="panel sheet" aria-labelledby=${`sheet-${kind}`}>
    <h3 id=${`sheet-${kind}`}>${word(`sheet.${kind}`, { name })}</h3>
    ${standing(one)}
    ${one.body ? html`
      ${one.body.found_wrong ? notice('bad', word('sheet.wrong')) : nothing}
      <pre class="scroll" tabindex="0" role="group" aria-label=${word(`sheet.${kind}`, { name })}>${one.body.text}</pre>
      <button class="key" @click=${page}>${word('sheet.save')}</button>` : nothing}
  </section>`;
}

function roundTab({ table, redraw }) {
  const ask = (event) => {
    event.preventDefault();
    const number = String(new FormData(event.currentTarget).get('number') ?? '').trim();
    if (number) load('round', table, 'round', { number }, redraw);
  };
  return html`
    <form class="asking panel" @submit=${ask}>
      <div class="entry-field"><label for="ask-number">${word('ask.number')}</label>
        <input class="field" id="ask-number" name="number" autocomplete="off" maxlength="64" required .value=${shown.round?.query.number ?? ''}></div>
      <button class="key primary">${word('ask.record')}</button>
      <p class="quiet">${word('ask.number.hint')}</p>
    </form>
    ${sheet('round', 'number', { table, redraw })}`;
}

function metersTab({ table, config, redraw }) {
  if (!shown.meters) queueMicrotask(() => load('meters', table, 'meters', {}, redraw));
  const body = shown.meters?.body;
  return html`
    <div class="again"><button class="key" ?disabled=${shown.meters?.busy} @click=${() => load('meters', table, 'meters', {}, redraw)}>${word('papers.again')}</button>${standing(shown.meters)}</div>
    ${body && body.awards ? html`
      <div class="paper-grid">
        ${pairs(word('meters.pool'), [
          [word('head.meter'), exact(body.meter_exact)], [word('head.reserve'), exact(body.reserve_exact)], [word('head.overflow'), exact(body.overflow_exact)],
          [word('meters.wagers'), amount(body.wagers_cents)], [word('meters.wins'), amount(body.wins_cents)], [word('meters.taken'), amount(body.taken_cents)],
          [word('report.house-added'), amount(body.house_added_cents)], [word('meters.seeded'), amount(body.seeded_cents)], [word('meters.corrected'), amount(body.corrected_cents)]])}
        ${pairs(word('meters.parameters'), [
          [named('choice.option', 'coin_value'), amount(body.coin_cents)], [named('choice.option', 'meter_share'), body.increment], [named('choice.option', 'reserve_share'), body.reserve_share],
          [named('choice.option', 'reset'), amount(body.reset_cents)], [named('choice.option', 'meter_limit'), body.limit_cents ? amount(body.limit_cents) : word('none')],
          [named('choice.option', 'contribution_bound'), amount(body.bound_cents)], [word('report.entries'), count(body.entry)], [word('head.when'), dayAndTime(body.wall_ms, config.locale)]])}
      </div>
      ${grid(word('meters.awards'), heads('hand', 'prize', 'value', 'hits', 'by-dealer', 'confirmed'),
        body.awards.map((one) => [named('hand', one.hand), one.prize, amount(one.value_cents), count(one.hits), amount(one.dealer_cents), amount(one.confirmed_cents)]), [2, 4, 5])}` : nothing}`;
}

/** The page of a table's papers. */
export function papersPage({ table, config, redraw }) {
  if (of !== table) {
    shown = {};
    of = table;
  }
  const role = config.operator?.role;
  if (role !== 'supervisor' && role !== 'auditor') return html`<section class="panel">${notice('info', word('papers.denied'), 'lock')}</section>`;
  const views = { day: dayTab, charts: chartsTab, hits: hitsTab, round: roundTab, meters: metersTab };
  return html`
    <h2 class="page-title">${word('console.papers', { table })}</h2>
    <div class="filters" role="group" aria-label=${word('papers.kinds')}>
      ${TABS.map((name) => html`<button class="key" aria-pressed=${String(tab === name)} @click=${() => { tab = name; redraw(); }}>${word(`papers.${name}`)}</button>`)}
    </div>
    <div class="papers">${views[tab]({ table, config, redraw })}</div>`;
}
