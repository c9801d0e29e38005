/** The sign over a table: the jackpot, what is won, the light, pay tables and rules. */
import { html, nothing, render, svg } from "./lit-html.js";
import { Odometer } from "./odometer.js";
import { handName, payTables, ruleSentences } from "./rules.js";
import { count, followSign, money, OFFLINE_MS, ready, STALE_MS, time, word } from "./table.js";

const GRAND_MS = 18000;
const CELEBRATION_MS = 12000;
const PAGE_MS = 12000;
const FAULT_MS = 4000; // The amount and the fault take turns.
const WORD_MS = 20000; // How long a fallen amount is explained.
const ALIVE_MS = 1000;
const AWAKE_MS = 4000;
const TABLE_LINES = 5; // Lines of a pay table in one column, where the screen is wide.
const LONG_WORD = 16; // Letters that a tall screen cannot show in full size.
const AGAIN_MS = 2000;
const MINUTE_MS = 60000;
const REFRESH_MS = 24 * 60 * MINUTE_MS; // A browser that runs for weeks is started anew when nobody plays.

const query = new URLSearchParams(location.search);
const config = await settings();
const table = query.get("table") ?? config.tables[0] ?? "";
const name = query.get("name") ?? "";
const known = config.tables.includes(table);
const stillness = matchMedia("(prefers-reduced-motion: reduce)");
const upright = matchMedia("(orientation: portrait)");
const at = (id) => document.getElementById(id);

const odometer = new Odometer(at("odometer"), {
  write: money,
  digits: Array.from({ length: 10 }, (_, digit) => count(digit)),
  still: () => stillness.matches,
});

let picture = null; // The last one, with when this page heard it: `came` by the page's clock, `wall` by the room's.
let droppedAt = -Infinity; // When a picture came that is older than what is shown.
let begun = false; // Whether a whole picture has come.
let fallen = null; // {key, until} while it is explained why the jackpot is lower.
let celebrated = []; // {win, grand, until} for each win, as long as it is celebrated.
const statuses = new Map(); // Every win that was seen, by its id.
let drawnAt = 0; // When the screen was painted last.
let book = { key: "", pages: [] };
let opened = { page: 0, since: performance.now() };

/** Without the settings of the site nothing can be said in its language, so they are asked for until they come. */
async function settings() {
  for (;;) {
    try {
      return await ready();
    } catch {
      await new Promise((resolve) => { setTimeout(resolve, AGAIN_MS); });
    }
  }
}

function older(news) {
  return news.boot < picture.boot || (news.boot === picture.boot && news.seq < picture.seq);
}

function heard(news) {
  if (picture !== null && older(news)) {
    droppedAt = performance.now();
    return;
  }
  picture = { ...news, came: performance.now(), wall: Date.now() };
  if (!hasPicture()) return;
  noticeWins(!begun);
  begun = true;
  if (picture.meter_cents === null) return;
  const { boot, seq, meter_cents: cents } = picture;
  if (odometer.tell({ boot, seq, cents })) {
    // A void that takes coins back may end at the reset by chance: only a royal that was paid is a new beginning.
    fallen = { key: royalPaid() ? "sign.reset" : "sign.lowered", until: picture.came + WORD_MS };
  }
}

function hasPicture() {
  return picture !== null && Boolean(picture.house) && Boolean(picture.phase);
}

function royalPaid() {
  return picture.wins.some(({ hand, status }) => hand === "royal_flush" && status === "paid");
}

/** A win that was confirmed before this page was opened is not celebrated again. */
function noticeWins(first) {
  const { wins, came, house } = picture;
  for (const win of wins) {
    if (!first && win.status === "paid" && statuses.get(win.id) !== "paid") {
      const grand = win.hand === "royal_flush" || win.cents >= house.rules.jackpot_hold_from_cents;
      celebrated.push({ win, grand, until: came + (grand ? GRAND_MS : CELEBRATION_MS) });
    }
    statuses.set(win.id, win.status);
  }
  // A void may take the wins of its round back and leave none of them in the list.
  for (const id of statuses.keys()) {
    if (id.startsWith(`${picture.round}:`) && !wins.some((win) => win.id === id)) statuses.delete(id);
  }
  const told = [...runningAt(came).map(({ win }) => win), ...waiting()].map(sentenceOf).join(" ");
  if (at("told").textContent !== told) at("told").textContent = told;
}

/** What is celebrated still; a round that is declared void takes its wins back. */
function runningAt(now) {
  celebrated = celebrated.filter(({ win, until }) => now < until && statuses.get(win.id) === "paid");
  return celebrated;
}

function waiting() {
  return picture.wins.filter(({ status }) => status === "waits");
}

function sentenceOf(win) {
  return word(`sign.told.${win.status}`, { place: placeOf(win), hand: handOf(win), amount: money(win.cents) });
}

function placeOf({ seat }) {
  return word("sign.place", { table, seat: count(seat) });
}

function handOf({ hand, share }) {
  return share ? word("sign.share") : handName(hand);
}

// ------------------------------------------------------------------------- what is true now

/** A computer that slept does not count its sleep on every clock, so the later of two is believed. */
function ageMs(now) {
  return picture.age_ms + Math.max(0, now - picture.came, Date.now() - picture.wall);
}

/** One word for how far the sign can be believed. */
function standing(now) {
  if (!known) return "unknown";
  if (picture?.refused) return "refused";
  if (!hasPicture()) return "waiting";
  if (ageMs(now) > OFFLINE_MS) return "offline";
  if (ageMs(now) > STALE_MS) return "stale";
  if (!picture.health_well) return "fault";
  return picture.day_open === false ? "closed" : "live";
}

function believed(state) {
  return ["live", "closed", "fault"].includes(state);
}

// -------------------------------------------------------------------------------- the light

const SHAPES = {
  green: svg`<circle cx="12" cy="12" r="10.5" />`,
  yellow: svg`<path d="M12 1.5 23.500 22H.5Z" />`,
  red: svg`<path d="M7.500 1h9L23 7.500v9L16.500 23h-9L1 16.500v-9Z" />`,
  off: svg`<path fill-rule="evenodd" d="M12 1.500a10.500 10.500 0 1 0 0 21 10.500 10.500 0 0 0 0-21Zm0 3.500a7 7 0 1 1 0 14 7 7 0 0 1 0-14Z" />`,
  wait: svg`<path d="M5 1h14v4.500L14.500 12 19 18.500V23H5v-4.500L9.500 12 5 5.500Z" />`,
  won: svg`<path d="m12 .8 3.300 7.300 7.900.9-5.900 5.400 1.600 7.800L12 18.300l-6.900 3.900 1.600-7.800L.8 9l7.900-.9Z" />`,
  bad: svg`<path fill-rule="evenodd" d="M12 .500 23.500 12 12 23.500.5 12ZM10.500 6v7.500h3V6Zm0 9v3h3v-3Z" />`,
};

function shape(which) {
  return html`<svg class="shape" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${SHAPES[which]}</svg>`;
}

function lightNow(state) {
  if (!believed(state)) return { shown: "off", key: "sign.light.unknown" };
  const { light, phase, shown } = picture;
  if (["hold", "trial", "closed"].includes(shown)) {
    return { shown: shown === "hold" ? "red" : "off", key: `sign.light.${shown}` };
  }
  if (phase === "betting") return { shown: light, key: `sign.light.${light}`, timed: light !== "red" };
  if (phase === "dealing") return { shown: "red", key: "sign.light.red" };
  if (phase === "deciding") return { shown: "red", key: "sign.light.deciding", timed: true };
  return { shown: light === "red" ? "red" : "off", key: `sign.light.${phase}` };
}

function leftNow(now) {
  if (picture.left_ms === null || picture.left_ms === undefined) return "";
  const left = Math.max(0, picture.left_ms - ageMs(now));
  return left >= MINUTE_MS ? time(left) : word("sign.left", { n: count(Math.ceil(left / 1000)) });
}

function drawLight(state, now) {
  const { shown, key, timed } = lightNow(state);
  at("light").dataset.light = shown;
  at("light").dataset.long = word(key).length > LONG_WORD ? "yes" : "no";
  at("left").textContent = timed ? leftNow(now) : "";
  render(html`${shape(shown)}<span>${word(key)}</span>`, at("light"));
}

// ------------------------------------------------------------------------------ the jackpot

/** What stands under the amount: one thing, the gravest. */
function lineNow(state, now) {
  const seconds = () => count(Math.floor(ageMs(now) / 1000));
  if (state === "offline") {
    const note = picture.meter_cents === null ? "sign.offline.bare" : "sign.offline.note";
    return { shown: "bad", key: "sign.offline", note };
  }
  if (state === "stale") return { shown: "yellow", key: "sign.stale", values: { n: seconds() } };
  if (state === "fault" && picture.meter_cents !== null) {
    return { shown: "bad", key: "sign.fault", note: "sign.fault.note" };
  }
  if (fallen && now < fallen.until) return { shown: "off", key: fallen.key, note: `${fallen.key}.note` };
  return null;
}

function drawLine(state, now) {
  const line = hasPicture() ? lineNow(state, now) : null;
  const place = at("line");
  place.dataset.shown = line?.shown ?? "";
  render(line === null ? nothing : html`<strong>${shape(line.shown)}${word(line.key, line.values ?? {})}</strong>
    ${line.note ? html`<span>${word(line.note)}</span>` : nothing}`, place);
}

function drawWindow(state, now) {
  const hasMeter = hasPicture() && picture.meter_cents !== null;
  const faulty = state === "fault" && hasMeter && Math.floor(now / FAULT_MS) % 2 === 1;
  const bare = ["unknown", "refused", "waiting"].includes(state);
  document.body.dataset.meter = hasMeter || bare ? "yes" : "no";
  at("odometer").hidden = !hasMeter || bare || faulty;
  at("plain").hidden = !(bare || faulty);
  if (bare) render(html`<strong>${word(`sign.${state}`)}</strong>`, at("plain"));
  if (faulty) render(html`<strong>${word("sign.fault")}</strong>`, at("plain"));
  at("jackpot-name").textContent = bare ? word("sign.game") : word("sign.jackpot");
}

// -------------------------------------------------------------------------------- the board

function winRow(win) {
  return html`<li class="win" data-win=${win.id}>
    <span class="amount digits">${money(win.cents)}</span>
    <span class="hand">${handOf(win)}</span>
    <span class="place">${placeOf(win)}</span>
  </li>`;
}

/** Many wins have a line each; what they have in common stands above them. */
function shortRow(win, sameHand) {
  const seat = word("sign.seat", { seat: count(win.seat) });
  return html`<li class="win" data-win=${win.id}>
    <span class="place">${sameHand ? seat : `${seat} · ${handOf(win)}`}</span>
    <span class="amount digits">${money(win.cents)}</span>
  </li>`;
}

/** The wins of one kind; `pressed` for room, each has a line and no more. */
function winList(status, mark, wins, pressed = false) {
  if (wins.length === 0) return nothing;
  const many = pressed || wins.length > 2;
  const sameHand = many && wins.every(({ hand }) => hand === wins[0].hand);
  const size = many ? "many" : ["one", "two"][wins.length - 1];
  const common = sameHand && wins.length > 1;
  return html`<section class="wins ${status}" data-size=${size}>
    <h2>${shape(mark)}<span>${word(`sign.${status}`)}${common ? ` · ${handName(wins[0].hand)}` : ""}</span></h2>
    <ul>${wins.map((win) => (many ? shortRow(win, common) : winRow(win)))}</ul>
  </section>`;
}

function tablePage({ id, title, note, lines }) {
  const columns = upright.matches || lines.length <= TABLE_LINES ? 1 : 2;
  const rows = Math.ceil(lines.length / columns);
  return html`<article class="page" data-page=${id}>
    <h2>${title}</h2><p class="note">${note}</p>
    <dl class="pays" data-rows=${rows} data-columns=${columns}>${lines.map((line) => html`<div><dt>${line.name}</dt><dd class="digits">${line.pays}</dd></div>`)}</dl>
  </article>`;
}

function rulePage({ topic, title, sentences }) {
  return html`<article class="page" data-page=${topic}>
    <h2>${title}</h2>
    <ul class="rules">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>
  </article>`;
}

/** As many sentences on each page as the board holds. */
function rulePages(topics) {
  const board = at("board");
  const pages = [];
  for (const { topic, title, sentences } of topics) {
    let page = [];
    for (const sentence of sentences) {
      render(rulePage({ topic, title, sentences: [...page, sentence] }), board);
      const list = board.querySelector(".rules");
      if (page.length > 0 && list.scrollHeight > list.clientHeight + 1) {
        pages.push(rulePage({ topic, title, sentences: page }));
        page = [];
      }
      page.push(sentence);
    }
    pages.push(rulePage({ topic, title, sentences: page }));
  }
  return pages;
}

/** The pages that take turns; made anew when the rules or the room for them have changed. */
function pagesNow() {
  const { house } = picture;
  const { clientWidth, clientHeight } = at("board");
  const key = JSON.stringify([house, clientWidth, clientHeight, document.fonts.status]);
  if (key !== book.key) {
    book = { key, pages: [...payTables(house).map(tablePage), ...rulePages(ruleSentences(house))] };
  }
  const won = picture.wins.filter(({ status }) => status === "paid");
  if (won.length === 0) return book.pages;
  return [html`<article class="page" data-page="last_win">${winList("last_win", "won", won)}</article>`, ...book.pages];
}

function drawBoard(state, now) {
  const board = at("board");
  if (!hasPicture() || state === "refused") {
    document.body.dataset.celebrating = "no";
    render(nothing, board);
    return;
  }
  const running = runningAt(now);
  const grand = running.some((one) => one.grand);
  const won = running.map(({ win }) => win);
  const held = waiting();
  document.body.dataset.celebrating = won.length === 0 ? "no" : grand ? "grand" : "yes";
  const total = won.length + held.length;
  if (total > 0) {
    // Of two lists the graver one has the room, as far as there is room for it.
    const both = won.length > 0 && held.length > 0;
    const pressed = (list, grave) => both && (!grave || total > 3 || (upright.matches && list.length > 1));
    render(html`${winList("confirmed", "won", won, pressed(won, grand))}
      ${winList("pending", "wait", held, pressed(held, !grand))}`, board);
    fitAmounts(board);
    return;
  }
  const pages = pagesNow();
  if (now - opened.since >= PAGE_MS) opened = { page: opened.page + 1, since: now };
  const page = opened.page % pages.length;
  board.dataset.turn = String(opened.page % 2);
  render(pages[page], board);
  fitAmounts(board);
}

/** An amount never wraps: the more signs it has, the smaller they are. */
function fitAmounts(board) {
  for (const amount of board.querySelectorAll(".amount")) {
    amount.style.setProperty("--signs", String(amount.textContent.length));
  }
}

// ------------------------------------------------------------------------------------ drawing

function draw() {
  const now = performance.now();
  const state = standing(now);
  document.body.dataset.state = state;
  document.title = word("sign.title", { table });
  at("table").textContent = table ? word("sign.table", { table }) : word("sign.game");
  at("board").setAttribute("aria-label", word("sign.board"));
  drawWindow(state, now);
  drawLight(state, now);
  drawLine(state, now);
  drawBoard(state, now);
  refreshIfNeeded(state, now);
}

function drawn() {
  drawnAt = performance.now();
  requestAnimationFrame(drawn);
}

/** The table hears each second that its jackpot is shown; a sign that is dark, asleep or behind says nothing. */
function sayAlive() {
  const now = performance.now();
  if (!hasPicture() || picture.meter_cents === null || now - drawnAt > ALIVE_MS) return;
  if (!["live", "closed", "fault", "stale"].includes(standing(now))) return;
  post({ sign: name }, {}).catch(() => {}); // The next second says it again.
}

function post(body, options) {
  return fetch(`/api/signs/${encodeURIComponent(table)}/alive`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), ...options,
  });
}

/** Only while the site is heard: one that is away would leave an empty screen. */
function refreshIfNeeded(state, now) {
  // A table that tells older things for so long has begun another record: this page's memory is of no use.
  if (state === "offline" && now - droppedAt < STALE_MS) location.reload();
  const quiet = state === "closed" || (state === "live" && picture.phase === "idle" && picture.wins.length === 0);
  if (now > REFRESH_MS && quiet) location.reload();
}

function wake() {
  document.body.classList.add("awake");
  clearTimeout(wake.timer);
  wake.timer = setTimeout(() => document.body.classList.remove("awake"), AWAKE_MS);
}

at("reload").textContent = word("sign.reload");
at("reload").addEventListener("click", () => location.reload());
addEventListener("pointermove", wake);
addEventListener("pointerdown", wake);
if (known) {
  followSign(table, (news) => {
    heard(news);
    draw();
  });
}
if (known && name) {
  setInterval(sayAlive, ALIVE_MS);
  addEventListener("pagehide", () => post({ sign: name, gone: true }, { keepalive: true }).catch(() => {}));
}
setInterval(draw, 250);
requestAnimationFrame(drawn);
draw();
