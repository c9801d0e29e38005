// Charts drawn as SVG, each with its axes and with the same numbers as a table for those who do not see it.

import { html, nothing, svg } from '../lit-html.js';
import { count, money, word } from '../table.js';

const NAME_MOST = 36;
const NAME_LETTER = 11;
const WIDE = 720;
const HIGH = 280;
const LEFT = 112;
const RIGHT = 20;
const TOP = 30;
const BOTTOM = 38;
const HOUR_MS = 3_600_000;

/** A round number at least as large, of the kind 1, 2, 5 times a power of ten. */
function roundUp(value) {
  let step = 1;
  while (step * 10 <= value) step *= 10;
  return [1, 2, 5, 10].map((factor) => factor * step).find((whole) => whole >= value) ?? step * 10;
}

function ticks(least, most, parts = 4) {
  const step = Math.max(1, roundUp(Math.ceil((most - least) / parts)));
  const found = [];
  for (let at = Math.floor(least / step) * step; found.length < 12; at += step) {
    found.push(at);
    if (at >= most) break;
  }
  return found;
}

/** Writes moments of a span: its hours alone, or with the day where an hour may come twice. */
function clockFor(from, to, locale) {
  const time = { hour: '2-digit', minute: '2-digit' };
  const days = to - from > 20 * HOUR_MS;
  const format = new Intl.DateTimeFormat(locale, days ? { day: 'numeric', month: 'numeric', ...time } : time);
  return { days, write: (ms) => format.format(ms) };
}

function figure({ id, title, summary, drawing, heads, rows }) {
  return html`
    <figure class="panel chart">
      <figcaption id=${id}><h3>${title}</h3><p class="quiet">${summary}</p></figcaption>
      ${rows.length ? html`<svg class="drawing" viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-labelledby=${id}>${drawing}</svg>
        <details><summary>${word('chart.numbers')}</summary>
          <div class="scroll" tabindex="0" role="region" aria-label=${title}><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
          <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td class="digits">${cell}</td>`)}</tr>`)}</tbody></table></div>
        </details>` : html`<p class="quiet">${word('chart.empty')}</p>`}
    </figure>`;
}

function frame(marks, y, text) {
  return svg`
    ${marks.map((mark) => svg`<line class="grid" x1=${LEFT} x2=${WIDE - RIGHT} y1=${y(mark)} y2=${y(mark)}/>
      <text class="tick" x=${LEFT - 8} y=${y(mark)} text-anchor="end" dominant-baseline="middle">${text(mark)}</text>`)}
    <line class="axis" x1=${LEFT} x2=${LEFT} y1=${TOP} y2=${HIGH - BOTTOM}/>
    <line class="axis" x1=${LEFT} x2=${WIDE - RIGHT} y1=${HIGH - BOTTOM} y2=${HIGH - BOTTOM}/>`;
}

const across = (from, to) => (value) => LEFT + ((value - from) / Math.max(1, to - from)) * (WIDE - LEFT - RIGHT);
const upwards = (from, to) => (value) => HIGH - BOTTOM - ((value - from) / Math.max(1, to - from)) * (HIGH - TOP - BOTTOM);

/** The meter over time as a step line: it stands until the next round moves it. */
export function meterChart(rounds, locale) {
  const points = rounds.filter((one) => one.meter_cents !== null);
  if (!points.length) return figure({ id: 'chart-meter', title: word('chart.meter'), summary: '', drawing: nothing, heads: [], rows: [] });
  const values = points.map((one) => one.meter_cents);
  const marks = ticks(Math.min(...values), Math.max(...values));
  const [from, to] = [points[0].opened_ms, Math.max(points.at(-1).opened_ms, points[0].opened_ms + 60_000)];
  const clock = clockFor(from, to, locale);
  const rows = points.map((one) => [clock.write(one.opened_ms), one.round, money(one.meter_cents)]);
  const x = across(from, to);
  const y = upwards(marks[0], marks.at(-1));
  let path = `M${x(points[0].opened_ms).toFixed(1)} ${y(values[0]).toFixed(1)}`;
  points.forEach((one, index) => {
    if (index) path += `H${x(one.opened_ms).toFixed(1)}V${y(values[index]).toFixed(1)}`;
  });
  path += `H${WIDE - RIGHT}`;
  const parts = clock.days ? 2 : 4;
  const times = Array.from({ length: parts + 1 }, (_, part) => from + Math.floor(((to - from) * part) / parts));
  const drawing = svg`${frame(marks, y, money)}
    ${times.map((at, index) => svg`<text class="tick" x=${x(at)} y=${HIGH - BOTTOM + 26} text-anchor=${index === 0 ? 'start' : index === parts ? 'end' : 'middle'}>${clock.write(at)}</text>`)}
    <path class="step" d=${path}/>
    ${points.filter((one) => one.awards.length).map((one) => svg`<path class="mark" d="M${x(one.opened_ms)} ${y(one.meter_cents) - 7}l6 7-6 7-6-7Z"/>`)}`;
  const summary = word('chart.meter.summary', { from: money(values[0]), to: money(values.at(-1)), most: money(Math.max(...values)) });
  return figure({ id: 'chart-meter', title: word('chart.meter'), summary, drawing, heads: [word('chart.time'), word('round'), word('meter')], rows });
}

/** Rounds in each hour, as bars; an hour without a round is a gap. */
export function roundsChart(rounds, locale) {
  const byHour = new Map();
  for (const { opened_ms: at } of rounds) {
    const start = Math.floor(at / HOUR_MS) * HOUR_MS;
    byHour.set(start, (byHour.get(start) ?? 0) + 1);
  }
  const starts = [...byHour.keys()];
  const hours = [];
  for (let at = Math.max(Math.min(...starts), Math.max(...starts) - 47 * HOUR_MS); starts.length && at <= Math.max(...starts); at += HOUR_MS) hours.push(at);
  const clock = clockFor(hours[0] ?? 0, hours.at(-1) ?? 0, locale);
  const rows = hours.map((at) => [clock.write(at), count(byHour.get(at) ?? 0)]);
  const most = Math.max(1, ...byHour.values());
  const marks = ticks(0, most);
  const y = upwards(0, marks.at(-1));
  const room = (WIDE - LEFT - RIGHT) / Math.max(1, hours.length);
  const wide = Math.min(64, Math.max(4, room * 0.7));
  const every = Math.ceil(hours.length / (clock.days ? 4 : 6));
  const drawing = svg`${frame(marks, y, count)}
    ${hours.map((at, index) => {
      const middle = LEFT + room * (index + 0.5);
      const number = byHour.get(at) ?? 0;
      return svg`<rect class="bar" x=${middle - wide / 2} width=${wide} y=${y(number)} height=${HIGH - BOTTOM - y(number)}/>
        ${hours.length <= 24 && number ? svg`<text class="value" x=${middle} y=${y(number) - 5} text-anchor="middle">${count(number)}</text>` : nothing}
        ${index % every ? nothing : svg`<text class="tick" x=${middle} y=${HIGH - BOTTOM + 26} text-anchor="middle">${clock.write(at)}</text>`}`;
    })}`;
  const summary = word('chart.rounds.summary', { number: count(rounds.length), most: count(most) });
  return figure({ id: 'chart-rounds', title: word('chart.rounds'), summary, drawing, heads: [word('chart.hour'), word('rounds')], rows });
}

/** How often each kind of alarm came, as bars that lie. `alarms` are [{words, number}]. */
export function alarmsChart(alarms) {
  const shown = [...alarms].sort((one, other) => other.number - one.number).slice(0, 10);
  const rows = shown.map((one) => [one.words, count(one.number)]);
  const most = Math.max(1, ...shown.map((one) => one.number));
  // The names take what the longest of them needs; one that is longer still is whole in the table.
  const short = (words) => (words.length > NAME_MOST ? `${words.slice(0, NAME_MOST - 1)}…` : words);
  const names = 20 + NAME_LETTER * Math.max(20, ...shown.map((one) => short(one.words).length));
  const high = Math.min(44, (HIGH - 2 * TOP) / Math.max(1, shown.length));
  const drawing = svg`${shown.map((one, index) => {
    const y = TOP + index * high;
    const wide = ((WIDE - names - 70) * one.number) / most;
    return svg`<text class="tick" x=${names - 8} y=${y + high / 2} text-anchor="end" dominant-baseline="middle">${short(one.words)}</text>
      <rect class="bar alarm" x=${names} y=${y + high * 0.15} width=${wide} height=${high * 0.7}/>
      <text class="value" x=${names + wide + 8} y=${y + high / 2} dominant-baseline="middle">${count(one.number)}</text>`;
  })}<line class="axis" x1=${names} x2=${names} y1=${TOP} y2=${TOP + shown.length * high}/>`;
  const summary = word('chart.alarms.summary', { number: count(alarms.reduce((sum, one) => sum + one.number, 0)) });
  return figure({ id: 'chart-alarms', title: word('chart.alarms'), summary, drawing, heads: [word('chart.alarm'), word('chart.number')], rows });
}
