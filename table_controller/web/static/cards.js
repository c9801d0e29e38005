// Cards as every page shows them: faces, backs and the picker of all fifty-two.
// A suit is told by its shape and its name; the colour only helps. A page links cards.css beside this file.

import { html, nothing, svg } from './lit-html.js';

export const RANKS = ['A', 'K', 'Q', 'J', 'T', '9', '8', '7', '6', '5', '4', '3', '2'];
export const SUITS = ['S', 'H', 'C', 'D'];
export const JOKER = 'JK';

// The names stand here and not among the words of a page, because three pages share this file.
const NAMES = {
  en: {
    ranks: { A: 'ace', K: 'king', Q: 'queen', J: 'jack', T: 'ten', 9: 'nine', 8: 'eight', 7: 'seven', 6: 'six', 5: 'five', 4: 'four', 3: 'three', 2: 'two' },
    suits: { S: 'spades', H: 'hearts', C: 'clubs', D: 'diamonds' },
    card: (rank, suit) => `${rank} of ${suit}`,
    joker: 'joker, or a card of another deck',
    joker_short: 'Joker',
    back: 'face down',
    group: 'All cards',
  },
  de: {
    ranks: { A: 'Ass', K: 'König', Q: 'Dame', J: 'Bube', T: 'Zehn', 9: 'Neun', 8: 'Acht', 7: 'Sieben', 6: 'Sechs', 5: 'Fünf', 4: 'Vier', 3: 'Drei', 2: 'Zwei' },
    suits: { S: 'Pik', H: 'Herz', C: 'Kreuz', D: 'Karo' },
    card: (rank, suit) => `${suit} ${rank}`,
    joker: 'Joker oder eine fremde Karte',
    joker_short: 'Joker',
    back: 'verdeckt',
    group: 'Alle Karten',
  },
};

const SHAPES = {
  S: 'M12 1.5C9.6 5.8 3 9.3 3 14.4c0 2.7 2 4.6 4.4 4.6 1.5 0 2.8-.7 3.6-1.9-.2 2.2-.9 4-2.2 5.4h6.4c-1.3-1.4-2-3.2-2.2-5.4.8 1.2 2.1 1.9 3.6 1.9 2.4 0 4.4-1.9 4.4-4.6C21 9.3 14.4 5.8 12 1.5Z',
  H: 'M12 22C9.2 17.6 2 13.7 2 8.2 2 5 4.4 2.7 7.2 2.7c2 0 3.8 1.2 4.8 3.2 1-2 2.8-3.2 4.8-3.2C19.6 2.7 22 5 22 8.2 22 13.7 14.8 17.6 12 22Z',
  C: 'M12 2a4.6 4.6 0 0 0-4.1 6.7A4.8 4.8 0 0 0 7 8.6a4.7 4.7 0 1 0 4 7.200c-.2 2.7-.9 4.9-2.3 6.7h6.600c-1.4-1.8-2.1-4-2.3-6.7a4.7 4.7 0 1 0 4-7.200c-.3 0-.6 0-.9.1A4.6 4.6 0 0 0 12 2Z',
  D: 'M12 1 21 12 12 23 3 12Z',
};

function names() {
  return NAMES[document.documentElement.lang.slice(0, 2)] ?? NAMES.en;
}

/** The rank as players write it: `10` and not `T`. */
export function rankText(rank) {
  return rank === 'T' ? '10' : rank;
}

/** The name of a card in the language of the page: `KD` is `king of diamonds`. */
export function cardName(text) {
  const words = names();
  if (text === JOKER) return words.joker;
  return words.card(words.ranks[text[0]] ?? text[0], words.suits[text[1]] ?? text[1]);
}

/** The shape of a suit, `S`, `H`, `C` or `D`, in the colour of the text around it. */
export function suit(letter) {
  return html`<svg class="suit" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${svg`<path d=${SHAPES[letter] ?? ''} />`}</svg>`;
}

function svgStar() {
  return html`<svg class="suit" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="m12 1 3.2 7.4 8 .7-6 5.3 1.8 7.9-7-4.2-7 4.2 1.8-7.9-6-5.3 8-.7Z" /></svg>`;
}

function colour(text) {
  return text[1] === 'H' || text[1] === 'D' ? 'red' : 'black';
}

/** A card that lies face up: `KD`, `TC`, or `JK` for the joker. */
export function cardFace(text) {
  if (text === JOKER) {
    return html`<span class="card face black joker" role="img" aria-label=${cardName(text)}><span class="rank">JK</span><span class="pip">${svgStar()}</span></span>`;
  }
  return html`<span class="card face ${colour(text)}" role="img" aria-label=${cardName(text)}><span class="rank">${rankText(text[0])}</span><span class="pip">${suit(text[1])}</span></span>`;
}

/** A card that lies face down. */
export function cardBack() {
  return html`<span class="card back" role="img" aria-label=${names().back}></span>`;
}

/** An empty place for a card. */
export function cardSlot() {
  return html`<span class="card slot" aria-hidden="true"></span>`;
}

/**
 * All fifty-two cards in four rows. Every one can be picked at any time: the picker knows nothing of what is
 * out, so that it can tell nothing. `picked` are pressed, `joker` adds a card of no deck.
 */
export function picker({ onPick, picked = [], joker = false }) {
  return html`
    <div class="picker" role="group" aria-label=${names().group} @keydown=${walk}>
      ${SUITS.map((letter) => html`
        <div class="picker-row">
          ${RANKS.map((rank) => pick(rank + letter, picked, onPick))}
        </div>`)}
      ${joker ? html`<div class="picker-row last">${pick(JOKER, picked, onPick)}</div>` : nothing}
    </div>`;
}

function pick(text, picked, onPick) {
  const isJoker = text === JOKER;
  return html`<button type="button" class="pick ${isJoker ? 'joker' : colour(text)}" data-card=${text}
      aria-pressed=${String(picked.includes(text))} @click=${() => onPick(text)}>
      <span class="rank" aria-hidden="true">${isJoker ? names().joker_short : rankText(text[0])}</span>${isJoker ? nothing : suit(text[1])}
      <span class="hidden-words">${cardName(text)}</span></button>`;
}

// The arrow keys walk over the cards, as they do over any grid.
function walk(event) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const button = event.target.closest('.pick');
  if (!steps || !button) return;
  const rows = [...event.currentTarget.querySelectorAll('.picker-row')].map((row) => [...row.querySelectorAll('.pick')]);
  const row = rows.findIndex((buttons) => buttons.includes(button));
  const column = rows[row].indexOf(button);
  const next = rows[row + steps[0]];
  const to = next?.[Math.max(0, Math.min(next.length - 1, column + steps[1]))];
  if (to) {
    event.preventDefault();
    to.focus();
  }
}
