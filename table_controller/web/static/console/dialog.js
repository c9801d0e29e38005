// A decision in three steps: what it is and why; a second look at what it does, with the PIN; the answer.
// No decision is done without the second look, and a look that is no longer true is shown anew.

import { html, nothing, render } from '../lit-html.js';
import { amount, effect, money, say, tables, time, word } from '../table.js';
import { cents as readCents } from './amounts.js';
import { DECISIONS, askedCorrection, possible, refusal } from './decisions.js';
import { refreshOffers } from './offers.js';
import { currentWords, isShare, parameterOf } from './parameters.js';
import { first } from './record.js';
import { age, isDead, named } from './standing.js';
import { notice } from './shapes.js';

const LOOK_AGAIN_MS = 700;

const dialog = document.getElementById('decision');
let host = null;
let now = null;

/** The page that the decisions belong to: {config, redraw, tell}. */
export function onDecision(page) {
  host = page;
  dialog.addEventListener('cancel', (event) => { if (now?.busy) event.preventDefault(); });
  dialog.addEventListener('close', () => { now = null; host.redraw(); });
}

/** Begin a decision; `given` are values that are chosen already, as a seat or a document. */
export function decide(table, type, given = {}) {
  const known = tables.get(table);
  const me = host.config.operator?.name ?? '';
  const kind = DECISIONS[type];
  now = {
    table, type, kind, step: 'form', given, values: { ...given }, reason: '', operator: me, spoken: '',
    round: kind.round ? known.state.round : '', choices: [], lines: [], error: '', busy: false, changed: false, seen: '', lookedAt: 0, answer: null,
  };
  choose();
  const spoken = chosenFirst()?.operator;
  if (spoken && spoken === me) now.operator = '';
  refreshOffers(table, host.redraw, true);
  redrawDecision();
  if (!dialog.open) dialog.showModal();
  focusTitle();
}

function choose() {
  if (!now.kind.offers) return;
  const fits = (command) => Object.entries(now.given).every(([name, value]) => command[name] === undefined || command[name] === value);
  // What is chosen stays chosen when the list is another one; the only one there is needs no choosing.
  const before = JSON.stringify(now.choices[now.chosen]);
  now.choices = possible(now.table, now.type).map((offer) => offer.command).filter(fits);
  now.chosen = now.choices.length === 1 ? 0 : now.choices.findIndex((one) => JSON.stringify(one) === before);
}

/** The award that a word about that seat decides: a share goes with its royal. */
function awardAt(seat) {
  return tables.get(now.table).state?.awards.find((one) => one.seat === seat && one.status === 'waits' && one.kind !== 'share');
}

/** Who has spoken first about the award that is chosen, {operator, decision}; null while nobody has. */
function chosenFirst() {
  const award = ['ConfirmAward', 'RejectAward'].includes(now.type) ? awardAt(now.choices[now.chosen]?.seat ?? now.given.seat) : null;
  return award ? first(award) : null;
}

function focusTitle() {
  dialog.querySelector('#decision-title')?.focus();
}

function close() {
  if (!now?.busy) dialog.close();
}

// ------------------------------------------------------------------------------------ step 1: what and why

function fieldOf(field) {
  const id = `field-${field.name}`;
  const label = labelOf(field);
  const given = now.values[field.name];
  const hint = field.optional ? html` <span class="quiet">${word('field.optional')}</span>` : nothing;
  const fixed = now.second || (field.name in now.given && field.name !== 'camera');
  if (field.kind === 'choice') {
    // A parameter stands with what it is now, and what is typed below depends on which one it is.
    const standing = (one) => (field.name === 'option' ? html` <span class="quiet">${word('parameter.now', { value: currentWords(now.table, one, host.config.locale) })}</span>` : nothing);
    const pick = (event) => { now.values[field.name] = event.currentTarget.value; redrawDecision(); };
    return html`<fieldset class="choices ${field.long ? 'long' : ''}"><legend>${label}</legend>
      ${field.choices.map((one) => html`<label class="choice"><input type="radio" name=${field.name} value=${one} required @change=${pick}
        .checked=${given === one} ?disabled=${fixed && given !== one}><span>${named(`choice.${field.name}`, one)}${standing(one)}</span></label>`)}</fieldset>`;
  }
  const shown = field.kind === 'money' && Number.isInteger(given) ? money(given).replace(/[^\d.,\s]/g, '').trim() : given ?? '';
  return html`<div class="entry-field"><label for=${id}>${label}${hint}</label>
    <input class="field" id=${id} name=${field.name} autocomplete="off" maxlength=${field.most ?? 200} ?readonly=${fixed}
      inputmode=${{ text: 'text', number: 'numeric' }[field.kind] ?? 'decimal'} ?required=${!field.optional} .value=${String(shown)}></div>`;
}

function labelOf(field) {
  if (field.kind !== 'parameter') return word(`field.${field.name}`);
  const option = now.values.option;
  return word(option ? isShare(option) ? 'field.value.share' : 'field.value.money' : 'field.value');
}

function choiceWords(command) {
  const values = { ...command, amount: command.cents === undefined ? '' : money(command.cents), cause: named('choice.cause', command.cause ?? '') };
  const award = awardAt(command.seat);
  if (['ConfirmAward', 'RejectAward'].includes(now.type) && award) values.amount = money(award.cents);
  const owed = tables.get(now.table).state.owed.find((one) => one.document === command.document);
  if (owed) Object.assign(values, { amount: money(owed.cents), seat: owed.seat });
  return word(`choose.${now.type}`, values);
}

function chooser() {
  if (!now.kind.offers) return nothing;
  if (!now.choices.length) return notice('warn', word('decision.none'));
  return html`<fieldset class="choices"><legend>${word('decision.which')}</legend>
    ${now.choices.map((command, index) => html`<label class="choice"><input type="radio" name="chosen" value=${index} required
      .checked=${now.chosen === index} @change=${() => { now.chosen = index; redrawDecision(); }}><span>${choiceWords(command)}</span></label>`)}</fieldset>`;
}

/** Who has spoken about the award already: at a confirmation as at a rejection. */
function spokenNotice() {
  const spoken = chosenFirst();
  if (spoken) return notice('info', word(`decision.spoken.${spoken.decision}`, { operator: spoken.operator }), 'person');
  if (askedBefore()) return notice('info', word('decision.asked-already'), 'person');
  return now.second ? notice('info', word('decision.second-person', { operator: now.spoken }), 'person') : nothing;
}

/** A table that is not heard is asked nothing; the sentence that says so, or nothing. */
function deadNotice() {
  const known = tables.get(now.table);
  return isDead(now.table) ? notice('bad', word(`old.${age(now.table)}`, { time: time(known.ageMs()) })) : nothing;
}

function form() {
  const { kind } = now;
  // What is possible may end while the form is open, as when the day is opened.
  const refused = now.type === 'SetParameter' ? refusal(now.table, now.type) : '';
  return html`
    <form @submit=${look} novalidate>
      ${spokenNotice()}
      ${deadNotice()}
      ${refused ? notice('warn', word('decision.not-now', { reason: refused })) : nothing}
      ${chooser()}
      ${(kind.fields ?? []).map(fieldOf)}
      ${kind.two ? html`<div class="entry-field"><label for="field-operator">${word('field.operator')}</label>
        <input class="field" id="field-operator" name="operator" autocomplete="off" autocapitalize="none" maxlength="64" required .value=${now.operator}></div>` : nothing}
      ${kind.easy ? nothing : html`<div class="entry-field"><label for="field-reason">${word('field.reason')}</label>
        <textarea class="field" id="field-reason" name="reason" rows="2" maxlength="1000" required .value=${now.reason}></textarea></div>`}
      ${trouble()}
      <div class="dialog-keys">
        <button type="button" class="key" @click=${close}>${word('decision.cancel')}</button>
        <button class="key primary" ?disabled=${now.busy || refused || isDead(now.table) || (kind.offers && !now.choices.length)}>${word('decision.look')}</button>
      </div>
    </form>`;
}

function trouble() {
  return html`<div class="trouble" role="alert">${now.error ? notice('bad', now.error) : nothing}</div>`;
}

/** What was entered: the command and a sentence for each field that is missing or cannot be read. */
function entry(entered) {
  const { kind, type } = now;
  const { locale } = host.config;
  const command = kind.offers ? { ...now.choices[Number(entered.get('chosen') ?? -1)] } : { type };
  const missing = command.type ? [] : [word('decision.which')];
  const wrong = [];
  for (const field of kind.fields ?? []) {
    const typed = String(entered.get(field.name) ?? now.values[field.name] ?? '').trim();
    now.values[field.name] = typed;
    command[field.name] = typed;
    if (!typed && !field.optional) {
      missing.push(labelOf(field));
    } else if (field.kind === 'money') {
      const read = readCents(typed, locale);
      if (read === null) wrong.push(word('wrong.money', { field: labelOf(field), typed, example: amount(1_250_050) }));
      else now.values[field.name] = command[field.name] = read;
    } else if (field.kind === 'number') {
      command[field.name] = Number(typed);
      if (!/^\d{1,3}$/.test(typed) || Number(typed) > field.most) wrong.push(word('wrong.number', { field: labelOf(field), typed, most: field.most }));
    } else if (field.kind === 'parameter' && command.option) {
      const { value, problem } = parameterOf(now.table, command.option, typed, locale);
      if (problem) wrong.push(problem);
      else command[field.name] = value;
    }
  }
  if (kind.two && !now.operator) missing.push(word('field.operator'));
  const problems = [...(missing.length ? [word('decision.missing', { fields: missing.join(', ') })] : []), ...wrong];
  if (!kind.easy && !now.reason) problems.push(word('decision.needs-reason'));
  return { command, problems };
}

async function look(event) {
  event.preventDefault();
  const entered = new FormData(event.currentTarget);
  now.chosen = Number(entered.get('chosen') ?? -1);
  now.reason = String(entered.get('reason') ?? '').trim();
  if (now.kind.two) now.operator = String(entered.get('operator') ?? '').trim();
  const { command, problems } = entry(entered);
  if (problems.length) {
    now.error = problems.join(' ');
    redrawDecision();
    return;
  }
  now.command = command;
  now.lines = [];
  if (await lookAgain()) {
    now.step = 'look';
    now.changed = false;
    redrawDecision();
    focusTitle();
  }
}

// ------------------------------------------------------------------------------------ step 2: the second look

/** Ask what the command does; true if the look is there. Where nobody pressed for it, what was said to him stays. */
async function lookAgain(byItself = false) {
  const asked = now;
  asked.busy = true;
  if (!byItself) asked.error = '';
  redrawDecision();
  const known = tables.get(asked.table);
  const seen = `${known.boot}/${known.seq}`;
  let answer;
  try {
    answer = await effect(asked.table, asked.command);
  } catch (error) {
    answer = { error: error.message };
  }
  asked.busy = false;
  asked.lookedAt = Date.now();
  if (asked !== now) return false;
  if (!Array.isArray(answer?.lines)) {
    asked.error = answer?.error || word('decision.no-look');
    redrawDecision();
    return false;
  }
  if (asked.lines.length && asked.lines.join('\n') !== answer.lines.join('\n')) {
    asked.changed = true;
    for (const input of dialog.querySelectorAll('[type=password]')) input.value = '';
  }
  asked.seen = seen;
  asked.lines = answer.lines;
  redrawDecision();
  return true;
}

function secondLook() {
  const { state: view } = tables.get(now.table);
  const moved = now.round && view.round !== now.round;
  return html`
    <form @submit=${act} novalidate>
      ${moved ? nothing : spokenNotice()}
      ${moved ? nothing : html`<p class="quiet">${word('decision.if-taken')}</p>
        <ul class="effects">${now.lines.map((line) => html`<li>${line}</li>`)}</ul>`}
      <p class="quiet">${word('decision.table-decides')}</p>
      ${now.reason ? html`<dl class="said"><dt>${word('field.reason')}</dt><dd>${now.reason}</dd>${now.kind.two ? html`<dt>${word('field.operator')}</dt><dd>${now.operator}</dd>` : nothing}</dl>` : nothing}
      <div role="status">
        ${deadNotice()}
        ${moved ? notice('warn', word('decision.moved', { round: now.round, now: view.round })) : nothing}
        ${now.changed ? notice('warn', word('decision.changed')) : nothing}
      </div>
      ${now.kind.easy ? nothing : html`<div class="entry-field pin"><label for="field-pin">${word('field.pin', { operator: now.kind.two ? now.operator : host.config.operator.name })}</label>
        <input class="field" id="field-pin" name="pin" type="password" inputmode="numeric" autocomplete="off" maxlength="12" required></div>`}
      ${trouble()}
      <div class="dialog-keys">
        <button type="button" class="key" ?disabled=${now.busy} @click=${back}>${word('decision.back')}</button>
        ${now.changed ? html`<button type="button" class="key primary" @click=${seenAgain}>${word('decision.seen')}</button>`
          : html`<button class="key ${now.kind.grave ? 'grave' : 'primary'}" ?disabled=${now.busy || isDead(now.table)}>${word(now.busy ? 'decision.waiting' : 'decision.do')}</button>`}
      </div>
    </form>`;
}

function back() {
  now.step = 'form';
  now.error = '';
  redrawDecision();
  focusTitle();
}

function seenAgain() {
  now.changed = false;
  redrawDecision();
  dialog.querySelector('#field-pin')?.focus();
}

async function act(event) {
  event.preventDefault();
  if (now.busy || now.changed || isDead(now.table)) return;
  const entry = event.currentTarget.elements.pin;
  const pin = entry?.value ?? '';
  if (!now.kind.easy && !/^\d{6,12}$/.test(pin)) {
    now.error = word('decision.needs-pin');
    redrawDecision();
    entry?.focus();
    return;
  }
  if (entry) entry.value = '';
  const asked = now;
  asked.busy = true;
  asked.error = '';
  asked.asked = askedBefore();
  redrawDecision();
  const more = { round: asked.round, reason: asked.reason };
  if (pin) more.pin = pin;
  if (asked.kind.two && asked.operator !== host.config.operator.name) more.operator = asked.operator;
  let answer;
  try {
    answer = await say(asked.table, asked.command, more);
  } catch (error) {
    answer = { ok: false, seq: 0, error: error.message, status: 0 };
  }
  asked.busy = false;
  if (asked !== now) return;
  const over = asked.round && tables.get(asked.table).state.round !== asked.round;
  if (answer.status === 403 || answer.status === 429) {
    asked.error = answer.error;
  } else if (!answer.ok && answer.status === 200 && !over) {
    // What the table refuses can often be put right, so that nothing that was typed is lost.
    asked.step = 'form';
    asked.error = html`<strong>${word('decision.refused')}</strong> ${answer.error} ${answer.seq ? html`<span class="digits">${word('decision.entry', { entry: answer.seq })}</span>` : nothing}`;
    host.tell(`${word('decision.refused')} ${answer.error}`);
  } else {
    asked.step = 'answer';
    asked.answer = answer;
    host.tell(answer.ok ? word('decision.entry', { entry: answer.seq }) : answer.error);
  }
  refreshOffers(asked.table, host.redraw, true);
  redrawDecision();
  if (asked.step !== 'look') focusTitle();
  else dialog.querySelector('#field-pin')?.focus();
}

// ------------------------------------------------------------------------------------ step 3: the answer

/** Whether another person has asked for just this correction before. */
function askedBefore() {
  const before = now.type === 'CorrectMeter' && !now.second && now.command ? askedCorrection(now.table) : null;
  return Boolean(before) && ['pot', 'cents', 'why', 'approval'].every((name) => before[name] === now.command[name]);
}

/** Whether the first of two people has spoken and the second one is needed. */
function halfDone() {
  if (!now.kind.two || !now.answer.ok) return false;
  if (now.type === 'CorrectMeter') return !now.second && !now.asked;
  return !now.second && tables.get(now.table).state.awards.some((one) => one.seat === now.command.seat && one.status === 'waits');
}

function secondPerson() {
  Object.assign(now, {
    step: 'form', second: true, spoken: now.operator, operator: '', reason: '', error: '', answer: null, lines: [],
    given: { ...now.command }, values: { ...now.command },
  });
  now.choices = [now.command];
  now.chosen = 0;
  redrawDecision();
  focusTitle();
}

function answered() {
  const { ok, seq, error, status } = now.answer;
  const lost = !ok && !seq && (status === 503 || status === 0);
  return html`
    <div class="answer">
      ${ok ? notice('well', html`<strong>${word(halfDone() ? 'decision.half' : 'decision.taken')}</strong> <span class="digits">${word('decision.entry', { entry: seq })}</span>`)
        : notice('bad', html`<strong>${word(lost ? 'decision.lost' : 'decision.refused')}</strong> ${error} ${seq ? html`<span class="digits">${word('decision.entry', { entry: seq })}</span>` : nothing}`)}
      ${halfDone() ? notice('info', word('decision.second-needed', { operator: now.operator }), 'person') : nothing}
      <div class="dialog-keys">
        ${halfDone() ? html`<button type="button" class="key primary" @click=${secondPerson}>${word('decision.second')}</button>` : nothing}
        <button type="button" class="key" @click=${close}>${word('decision.close')}</button>
      </div>
    </div>`;
}

const STEPS = ['form', 'look', 'answer'];

/** Draw the decision that is open, and look again where the table has moved on. */
export function redrawDecision() {
  if (!now) return;
  // Whoever asked for it, a new list of what is possible is the one to choose from.
  if (now.step === 'form' && !now.second) choose();
  const views = { form, look: secondLook, answer: answered };
  const step = STEPS.indexOf(now.step);
  render(html`
    <div class="decision-head">
      <h2 id="decision-title" tabindex="-1">${word(`decide.${now.type}`)}</h2>
      <p class="quiet">${word(now.round ? 'decision.at-round' : 'decision.at', { table: now.table, round: now.round })}</p>
      <ol class="steps">${STEPS.map((name, index) => html`
        <li aria-current=${index === step ? 'step' : nothing} class=${index < step ? 'past' : ''}><span class="digits">${index + 1}</span> ${word(`step.${name}`)}</li>`)}</ol>
    </div>
    ${views[now.step]()}`, dialog);
  const known = tables.get(now.table);
  const old = now.seen !== `${known.boot}/${known.seq}` && Date.now() - now.lookedAt > LOOK_AGAIN_MS;
  if (now.step === 'look' && !now.busy && old && !isDead(now.table)) lookAgain(true);
}

/** The keys of a decision, for wherever it is offered. */
export function decisionKey(table, type, { given = {}, refused = '', small = false, primary = false, about = '' } = {}) {
  const kind = DECISIONS[type];
  // What is not heard is not decided: what is shown of it may be old.
  if (isDead(table)) refused = word(age(table) === 'refused' ? 'need.refused' : 'need.offline');
  const why = refused ? word('decision.not-now', { reason: refused }) : '';
  const press = () => (refused ? host.tell(why) : decide(table, type, given));
  return html`<button class="key ${small ? 'small' : ''} ${primary && !refused ? 'primary' : kind.grave && !refused ? 'grave' : ''}"
    aria-disabled=${refused ? 'true' : nothing} title=${why || nothing} @click=${press}>${word(`decide.${type}`)}${about ? html`<span class="hidden-words">, ${about}</span>` : nothing}${refused ? html`<span class="hidden-words">. ${why}</span>` : nothing}</button>`;
}

