// What every page shares: the words and numbers of the site, the tables as they were heard last, and how a word is said.

/** From this age on a picture is called old. */
export const STALE_MS = 3000;
/** From this age on nothing that is shown is claimed to be true. */
export const OFFLINE_MS = 10_000;

/** The tables by name; each is as it was heard last. */
export const tables = new Map();

const FACTS_MAX = 300;
const SILENT_MS = 5000;
const HIDDEN_MS = 10_000;
const RETRY_MS = [500, 8000];
const SAY_FOR_MS = 30_000;
const SAY_RETRY_MS = [250, 3000];
const ANSWER_MS = 8000;
const RUNNING = ['betting', 'deciding'];

let config = null;
let texts = {};
let english = {};
const formats = {};

// ------------------------------------------------------------------------------------ the page

function pageName() {
  return document.documentElement.dataset.page || location.pathname.split('/')[1] || 'panel';
}

async function textsOf(language, page) {
  const [shared, own] = await Promise.all(['table', page].map(async (name) => (await import(`./words/${language}/${name}.js`)).default));
  return { ...shared, ...own };
}

/** Loads the settings of the site and the words of the page; resolves to the settings. */
export async function ready(page = pageName()) {
  config = await (await fetchFresh('/api/config')).json();
  english = await textsOf('en', page);
  // A page that is not translated yet speaks English and works.
  texts = config.language === 'en' ? english : await textsOf(config.language, page).catch(() => english);
  document.documentElement.lang = config.language;
  const { locale, currency } = config;
  const cents = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  formats.money = new Intl.NumberFormat(locale, { style: 'currency', currency, ...cents });
  formats.amount = new Intl.NumberFormat(locale, cents);
  formats.count = new Intl.NumberFormat(locale);
  formats.seconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', unitDisplay: 'short' });
  formats.clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  for (const name of config.tables) if (!tables.has(name)) tables.set(name, new Table(name));
  return config;
}

/** Who is logged in, {name, role}; null where nobody is. */
export function operator() {
  return config?.operator ?? null;
}

/** A text in the page's language with its values filled in; a key that has none stands for itself. */
export function word(key, values = {}) {
  const text = texts[key] ?? english[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Gives each element with `data-word` its text, and each with `data-word-label` its label. */
export function fill(root = document) {
  for (const element of root.querySelectorAll('[data-word]')) element.textContent = word(element.dataset.word);
  for (const element of root.querySelectorAll('[data-word-label]')) element.setAttribute('aria-label', word(element.dataset.wordLabel));
}

// ---------------------------------------------------------------------------- numbers and times

// Whole cents as a decimal text, which the formats of the browser take exactly.
function decimal(cents) {
  const whole = BigInt(cents);
  const digits = String(whole < 0n ? -whole : whole).padStart(3, '0');
  return `${whole < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Whole cents with the currency, as the site's locale writes them. */
export function money(cents) {
  return formats.money.format(decimal(cents));
}

/** Whole cents without the currency. */
export function amount(cents) {
  return formats.amount.format(decimal(cents));
}

/** A number as the site's locale writes it; a text of digits is taken exactly. */
export function count(n) {
  return formats.count.format(n);
}

/** How long something takes, in whole seconds: seconds alone below a minute, then 1:05 and 1:00:05. */
export function time(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return formats.seconds.format(seconds);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (!parts[0]) parts.shift();
  return parts.map((part, at) => (at ? String(part).padStart(2, '0') : String(part))).join(':');
}

/** The time of day, as the site's locale writes it. */
export function clock(wallMs) {
  return formats.clock.format(wallMs);
}

// ------------------------------------------------------------------------------------- hearing

// A computer that slept does not count its sleep everywhere, so the later of two clocks is believed.
function now() {
  return { ticks: performance.now(), wall: Date.now() };
}

function since(moment) {
  return Math.max(0, performance.now() - moment.ticks, Date.now() - moment.wall);
}

class Table {
  constructor(name) {
    Object.assign(this, { name, boot: 0, seq: 0, at_ms: 0, synced: false, refused: false, state: null, house: null, dues: [], facts: [] });
    this.heard = now();
    this.age_ms = 0;
    this.known = false;
  }

  /** How long nothing has been heard of the table. */
  ageMs() {
    return this.age_ms + since(this.heard);
  }

  /** What is left of the running time limit now; null where there is none. */
  leftMs() {
    const left = this.state?.left_ms ?? null;
    return left === null || !RUNNING.includes(this.state.shown) ? left : Math.max(0, left - this.ageMs());
  }

  take(news, first) {
    // One stream is in order by itself, so only the same start of the table can be told late.
    if (!first && news.boot === this.boot && news.seq < this.seq) return;
    const { boot, seq, at_ms: at, synced, refused, state, house, dues } = news;
    Object.assign(this, { boot, seq, at_ms: at, synced, refused, state, house, dues, known: true });
    this.left = state?.left_ms ?? null;
    this.stateHeard = { moment: now(), age_ms: news.state_age_ms };
    this.hear(news);
  }

  hear({ age_ms: age, refused }) {
    this.heard = now();
    this.age_ms = age;
    this.refused = refused;
    this.known = true;
    if (this.state && this.left !== null && RUNNING.includes(this.state.shown)) {
      // The time left is kept as it was when the table was last heard, as everything else that is shown.
      const passed = this.stateHeard.age_ms + since(this.stateHeard.moment) - age;
      this.state.left_ms = Math.max(0, this.left - Math.max(0, passed));
    }
  }
}

/** One stream of events that is opened again until its page is left. */
class Stream {
  constructor(address, kinds, hear, lost) {
    Object.assign(this, { address, kinds, hear, lost });
    this.wait = RETRY_MS[0];
    this.source = null;
    this.timer = 0;
    this.silence = 0;
    this.left = this.resting = false;
    this.rest = 0;
    addEventListener('pagehide', () => { this.left = true; this.close(); });
    addEventListener('pageshow', (event) => { if (event.persisted) { this.left = false; this.open(); } });
    // A browser opens six connections to one site: a page that nobody sees gives its own to the others.
    document.addEventListener('visibilitychange', () => {
      clearTimeout(this.rest);
      if (document.hidden) this.rest = setTimeout(() => { this.resting = true; this.close(); }, HIDDEN_MS);
      else { this.resting = false; if (!this.source && !this.left) this.open(); }
    });
    addEventListener('online', () => { if (!this.source && !this.left && !this.resting) this.open(); });
    this.open();
  }

  open() {
    this.close();
    const source = new EventSource(this.address);
    this.source = source;
    this.first = true;
    this.watch();
    for (const kind of this.kinds) {
      source.addEventListener(kind, (event) => {
        if (source !== this.source) return;
        this.wait = RETRY_MS[0];
        this.watch();
        this.hear(kind, JSON.parse(event.data), this.first);
        if (kind === 'beat' || kind === 'sign') this.first = false;
      });
    }
    source.onerror = () => { if (source === this.source) this.again(); };
  }

  // A stream that says nothing is as lost as one that is closed, and no browser tells.
  watch() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.again(), SILENT_MS);
  }

  again() {
    this.close();
    if (this.left || this.resting) return;
    this.timer = setTimeout(async () => {
      await this.lost();
      if (!this.source && !this.left && !this.resting) this.open();
    }, this.wait * (0.5 + Math.random()));
    this.wait = Math.min(RETRY_MS[1], this.wait * 2);
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.silence);
    this.source?.close();
    this.source = null;
  }
}

/** Follows all tables; `onChange(name)` is called at each change of one and once a second. */
export function follow(onChange) {
  const hear = (kind, data, first) => {
    if (kind === 'beat') {
      for (const [name, heard] of Object.entries(data.tables)) tables.get(name)?.hear(heard);
      return;
    }
    if (!tables.has(data.table)) tables.set(data.table, new Table(data.table));
    const table = tables.get(data.table);
    if (kind === 'table') {
      table.take(data, first);
    } else {
      // A stream begins with the facts of late, which a stream before may have told already.
      const key = JSON.stringify([data.boot, data.seq, data.wall_ms, data.fact]);
      if (first && table.facts.some((one) => one.key === key)) return;
      table.facts.push({ ...data, key });
      if (table.facts.length > FACTS_MAX) table.facts.shift();
    }
    onChange(data.table);
  };
  const stream = new Stream('/api/events', ['table', 'fact', 'beat'], hear, logInIfNeeded);
  setInterval(() => { for (const name of tables.keys()) onChange(name); }, 1000);
  return stream;
}

/** Follows one table as a sign shows it; `onChange(news)` is called with the newest picture, which comes each second. */
export function followSign(table, onChange) {
  // The house changes seldom and weighs more than all the rest, so it comes by itself.
  let house = null;
  const take = (kind, news) => {
    if (kind === 'house') house = news;
    else onChange({ house, ...news });
  };
  return new Stream(`/api/signs/${encodeURIComponent(table)}/events`, ['house', 'sign'], take, async () => {});
}

// ------------------------------------------------------------------------------------- speaking

class Unanswered extends Error {
  constructor(status, body) {
    super(body?.error ?? word('said.unanswered'));
    this.status = status;
    this.body = body ?? {};
  }
}

function fetchFresh(address, options = {}) {
  return fetch(address, { credentials: 'same-origin', cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS), ...options });
}

async function answerOf(response) {
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  if (response.status === 401) logIn();
  throw new Unanswered(response.status, body);
}

async function post(address, body, headers = {}) {
  const options = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': config?.csrf ?? '', ...headers },
    body: JSON.stringify(body),
  };
  return answerOf(await fetchFresh(address, options));
}

function logIn() {
  location.assign(`/login?then=${encodeURIComponent(location.pathname + location.search + location.hash)}`);
}

async function logInIfNeeded() {
  try {
    const news = await (await fetchFresh('/api/config')).json();
    if (!news.operator) logIn();
    // Another person has logged in at this browser: what is shown here is no longer this person's page.
    else if (news.operator.name !== config.operator?.name) location.reload();
    else config.csrf = news.csrf;
  } catch {
    // The site itself is away; the stream is tried again later.
  }
}

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
const underWay = new Map();

/**
 * Says a command to a table, again and again with one id until there is an answer: {ok, seq, error, status}.
 * The same command that is under way already is not said twice.
 */
export function say(table, command, { round = '', reason = '', operator: speaker = '', pin = '' } = {}) {
  const key = JSON.stringify([table, command, round, speaker]);
  if (!underWay.has(key)) {
    const body = { command, round, reason };
    if (speaker) body.operator = speaker;
    if (pin) body.pin = pin;
    underWay.set(key, sayUntilAnswered(table, body).finally(() => underWay.delete(key)));
  }
  return underWay.get(key);
}

async function sayUntilAnswered(table, body) {
  const headers = { 'Idempotency-Key': newId() };
  const begun = now();
  let wait = SAY_RETRY_MS[0];
  let anew = true;
  for (;;) {
    let least = 0;
    try {
      const answer = await post(`/api/tables/${encodeURIComponent(table)}/say`, body, headers);
      return { ok: answer.ok, seq: answer.seq, error: answer.error ?? '', status: 200 };
    } catch (error) {
      const refusal = { ok: false, seq: 0, error: error.message, status: error.status ?? 0 };
      if (error instanceof Unanswered) {
        if (error.status === 403 && error.body.session && anew) {
          // The token of this page is of an earlier log-in of the same person.
          anew = false;
          await logInIfNeeded();
          continue;
        }
        if (error.status === 429) {
          if (error.body.locked || body.pin) return { ...refusal, wait_s: error.body.wait_s };
          least = 1000 * (error.body.wait_s ?? 1);
        } else if (error.status < 500) {
          return { ...refusal, pin: Boolean(error.body.pin) };
        }
      }
    }
    const next = Math.max(least, wait * (0.75 + Math.random() / 2));
    if (since(begun) + next > SAY_FOR_MS) return { ok: false, seq: 0, error: word('said.silent'), status: 0 };
    await pause(next);
    wait = Math.min(SAY_RETRY_MS[1], wait * 2);
  }
}

/** Asks a table for its `offers` or `lines`; resolves to the table's answer, and throws where there is none. */
export function ask(table, what) {
  return post(`/api/tables/${encodeURIComponent(table)}/ask`, { ask: what });
}

/** What a command would do, {lines: [sentence…]}; throws where that cannot be told. */
export function effect(table, command) {
  return post(`/api/tables/${encodeURIComponent(table)}/effect`, { command });
}

/** A report or record of a table; throws an error with `status` where there is none. */
export async function paper(table, kind, query = {}) {
  const values = new URLSearchParams(query);
  const address = `/api/tables/${encodeURIComponent(table)}/papers/${encodeURIComponent(kind)}?${values}`;
  // The server gives up after a minute, and the paper may have waited for its turn: its sentence says more than ours.
  return answerOf(await fetchFresh(address, { signal: AbortSignal.timeout(90_000) }));
}

/** Ends the log-in of this browser and goes to the page where one logs in. */
export async function logout() {
  try {
    await post('/api/logout', {});
  } catch {
    // Without an answer the log-in may stand; the page to log in says who is logged in.
  }
  location.assign(`/login?then=${encodeURIComponent(location.pathname + location.search)}`);
}
