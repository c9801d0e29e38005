// The page to log in: a name, a PIN by keyboard or by touch, and where one wanted to go.

import { html, nothing, render } from './lit-html.js';
import { count, logout, operator, ready, word } from './table.js';

const KEPT = 'login.names';
const KEPT_MAX = 8;
const PIN_MAX = 12;
const card = document.getElementById('login');

const now = { name: '', pin: '', said: '', busy: false, lockedUntil: 0 };

// Names that have logged in at this screen; they are no secret to whoever stands before it.
function names() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(kept) ? kept.filter((name) => typeof name === 'string').slice(0, KEPT_MAX) : [];
  } catch {
    return [];
  }
}

function keep(name) {
  try {
    localStorage.setItem(KEPT, JSON.stringify([name, ...names().filter((one) => one !== name)].slice(0, KEPT_MAX)));
  } catch {
    // A browser that keeps nothing asks for the name each time.
  }
}

// Only a place on this site is gone to, whatever the address says.
function wanted(role) {
  const asked = new URLSearchParams(location.search).get('then') ?? '';
  const place = URL.canParse(asked, location.origin) ? new URL(asked, location.origin) : null;
  if (asked.startsWith('/') && place?.origin === location.origin && !place.pathname.startsWith('/login')) {
    return place.pathname + place.search + place.hash;
  }
  return role === 'dealer' ? '/panel' : '/console';
}

function secondsLocked() {
  return Math.max(0, Math.ceil((now.lockedUntil - performance.now()) / 1000));
}

async function logIn(event) {
  event?.preventDefault();
  if (now.busy) return;
  if (!now.name.trim() || !now.pin) {
    now.said = word(now.name.trim() ? 'login.no_pin' : 'login.no_name');
    draw();
    document.getElementById(now.name.trim() ? 'pin' : 'name').focus();
    return;
  }
  now.busy = true;
  now.said = '';
  draw();
  let status = 0;
  let body = {};
  try {
    const response = await fetch('/api/login', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, cache: 'no-store',
      body: JSON.stringify({ operator: now.name.trim(), pin: now.pin }), signal: AbortSignal.timeout(15_000),
    });
    status = response.status;
    body = await response.json().catch(() => ({}));
  } catch {
    status = 0;
  }
  now.pin = '';
  if (status === 200) {
    keep(body.operator);
    location.replace(wanted(body.role));
    return;
  }
  now.busy = false;
  if (status === 429) now.lockedUntil = performance.now() + 1000 * (body.wait_s ?? 1);
  now.said = word(status === 403 ? 'login.wrong' : status === 429 ? (body.locked ? 'login.locked' : 'login.often') : 'login.away');
  draw();
  document.getElementById('pin').focus();
}

function digit(text) {
  if (now.pin.length < PIN_MAX) now.pin += text;
  now.said = '';
  draw();
}

function choose(name) {
  Object.assign(now, { name, pin: '', said: '' });
  draw();
  document.getElementById('pin').focus();
}

function said() {
  const left = secondsLocked();
  const wait = left ? ` ${word('login.wait', { time: left >= 60 ? word('login.minutes', { n: count(Math.ceil(left / 60)) }) : word('login.seconds', { n: count(left) }) })}` : '';
  if (!now.said) return nothing;
  return html`<div class="notice bad"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7.5 2h9L22 7.5v9L16.5 22h-9L2 16.5v-9Zm3 4v8h3V6Zm0 9.6v2.9h3v-2.9Z"/></svg><p>${now.said}${wait}</p></div>`;
}

function pad() {
  return html`
    <div class="pad" role="group" aria-label=${word('login.pad')}>
      ${['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((text) => html`<button type="button" class="key" @click=${() => digit(text)}>${text}</button>`)}
      <button type="button" class="key wide" @click=${() => { now.pin = ''; draw(); }}>${word('login.clear')}</button>
      <button type="button" class="key" @click=${() => digit('0')}>0</button>
      <button type="button" class="key" aria-label=${word('login.back')} @click=${() => { now.pin = now.pin.slice(0, -1); draw(); }}>
        <svg viewBox="0 0 24 24" aria-hidden="true"><path fill-rule="evenodd" d="M8 4h15v16H8L1 12Zm3 4 3 4-3 4h2.5l2-2.7 2 2.7H20l-3-4 3-4h-2.5l-2 2.7-2-2.7Z"/></svg></button>
    </div>`;
}

function loggedIn({ name, role }) {
  return html`<div class="already">
    <div class="notice info"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 3h18v18H3Zm7.5 3.5v3h3v-3Zm0 5V18h3v-6.5Z"/></svg>
      <p>${word('login.already', { name, role: word(`login.role.${role}`) })}</p></div>
    <a class="key" href=${wanted(role)}>${word('login.on')}</a>
    <button type="button" class="key" @click=${() => logout()}>${word('login.out')}</button></div>`;
}

function draw() {
  const known = names();
  const already = operator();
  render(html`
    <form class="card" @submit=${logIn} novalidate>
      <header>
        <svg viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="21"/><circle cx="24" cy="24" r="13"/><path d="M24 3v8M24 37v8M3 24h8M37 24h8M9.2 9.2l5.6 5.6M33.2 33.2l5.6 5.6M38.8 9.2l-5.6 5.6M14.8 33.2l-5.6 5.6"/></svg>
        <h1>${word('login.title')}</h1>
      </header>
      ${already ? loggedIn(already) : nothing}
      <div class="who">
        ${known.length ? html`<div class="names" role="group" aria-label=${word('login.names')}>
          ${known.map((name) => html`<button type="button" class="key" aria-pressed=${String(name === now.name)} @click=${() => choose(name)}>${name}</button>`)}</div>` : nothing}
        <label for="name">${word('login.name')}
          <input id="name" class="field" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="64" required
            .value=${now.name} @input=${(event) => { now.name = event.target.value; }}></label>
        <label for="pin">${word('login.pin')}
          <input id="pin" class="field" name="pin" type="password" inputmode="none" autocomplete="off" maxlength=${PIN_MAX} required
            .value=${now.pin} @input=${(event) => { now.pin = event.target.value.replace(/\D/g, ''); draw(); }}></label>
        <div class="said" role="alert">${said()}</div>
        <button class="key primary enter" ?disabled=${now.busy}>${word(now.busy ? 'login.busy' : 'login.enter')}</button>
      </div>
      ${pad()}
      <div class="foot"><button type="button" class="key" @click=${() => location.reload()}>${word('login.reload')}</button></div>
    </form>`, card);
}

async function start() {
  await ready('login');
  document.title = word('login.title');
  now.name = names()[0] ?? '';
  draw();
  document.getElementById(now.name ? 'pin' : 'name').focus();
  setInterval(() => {
    if (!now.lockedUntil) return;
    if (!secondsLocked()) Object.assign(now, { lockedUntil: 0, said: '' });
    draw();
  }, 1000);
}

start();
