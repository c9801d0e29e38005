// Who is logged in at the pages, and who deals at each table.

import { html, nothing } from '../lit-html.js';
import { clock, tables, word } from '../table.js';
import { notice, state } from './shapes.js';

const AGAIN_MS = 5000;

let sessions = null;
let error = '';
let askedAt = 0;

async function load(redraw) {
  askedAt = Date.now();
  try {
    const response = await fetch('/api/sessions', { headers: { Accept: 'application/json' } });
    const body = await response.json();
    if (response.ok) {
      sessions = body;
      error = '';
    } else {
      error = body.error ?? String(response.status);
    }
  } catch {
    error = word('people.unknown');
  }
  redraw();
}

/** The page of people. */
export function peoplePage({ config, redraw }) {
  if (config.operator?.role === 'supervisor' && Date.now() - askedAt > AGAIN_MS) load(redraw);
  const denied = config.operator?.role !== 'supervisor';
  return html`
    <h2 class="page-title">${word('console.people')}</h2>
    <div class="two">
      <section class="panel" aria-labelledby="duty-title"><h3 id="duty-title">${word('people.duty')}</h3>
        <table><thead><tr><th scope="col">${word('people.table')}</th><th scope="col">${word('dealer')}</th></tr></thead>
        <tbody>${config.tables.map((name) => html`<tr><td>${name}</td><td>${tables.get(name)?.state?.on_duty || word('dealer.nobody')}</td></tr>`)}</tbody></table>
      </section>
      <section class="panel" aria-labelledby="sessions-title"><h3 id="sessions-title">${word('people.sessions')}</h3>
        ${denied ? notice('info', word('people.denied'), 'lock') : error ? notice('bad', error) : nothing}
        ${sessions ? html`<table><thead><tr><th scope="col">${word('people.name')}</th><th scope="col">${word('people.role')}</th><th scope="col">${word('people.page')}</th><th scope="col">${word('people.since')}</th></tr></thead>
        <tbody>${sessions.map((one) => html`<tr><td>${state('info', one.operator, 'person')}</td><td>${word(`console.role.${one.role}`)}</td><td>${one.page ?? ''}</td><td class="digits">${clock(one.since_ms)}</td></tr>`)}</tbody></table>` : nothing}
      </section>
    </div>`;
}
