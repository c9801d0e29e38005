// Shapes beside words: no state is told by its colour alone.

import { html, svg } from '../lit-html.js';

const PATHS = {
  well: svg`<path d="M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm-1.5 15-5-5 2-2 3 3 6-6 2 2Z" />`,
  warn: svg`<path d="M12 2 23 21H1Zm-1.3 6v7h2.6V8Zm0 8.6v2.6h2.6v-2.6Z" />`,
  bad: svg`<path d="M7.5 2h9L22 7.5v9L16.5 22h-9L2 16.5v-9Zm3 4v8h3V6Zm0 9.6v2.9h3v-2.9Z" />`,
  info: svg`<path d="M3 3h18v18H3Zm7.5 3.5v3h3v-3Zm0 5V18h3v-6.5Z" />`,
  green: svg`<circle cx="12" cy="12" r="10" />`,
  yellow: svg`<path d="M12 1 23 12 12 23 1 12Z" />`,
  red: svg`<path d="M2 2h20v20H2Z" />`,
  off: svg`<path fill-rule="evenodd" d="M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm0 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14Z" />`,
  on: svg`<circle cx="12" cy="12" r="6" /><path d="M11 0h2v4h-2Zm0 20h2v4h-2ZM0 11h4v2H0Zm20 0h4v2h-4ZM3.2 4.6l1.4-1.4 2.9 2.9-1.4 1.4Zm13.3 13.3 1.4-1.4 2.9 2.9-1.4 1.4Zm1.4-10.4-1.4-1.4 2.9-2.9 1.4 1.4ZM4.6 20.8l-1.4-1.4 2.9-2.9 1.4 1.4Z" />`,
  blink: svg`<path fill-rule="evenodd" d="M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm0 3v14a7 7 0 0 1 0-14Z" />`,
  dead: svg`<path fill-rule="evenodd" d="M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm-5 3.3L18.7 17A7 7 0 0 0 7 5.3ZM5.3 7A7 7 0 0 0 17 18.7Z" />`,
  give_back: svg`<path d="M10 3v5h5a7 7 0 0 1 0 14H6v-3h9a4 4 0 0 0 0-8h-5v5L2 9.5Z" />`,
  no_light: svg`<path d="M12 2 23 21H1Zm-1.3 6v7h2.6V8Zm0 8.6v2.6h2.6v-2.6Z" />`,
  no_ante: svg`<path d="M12 2 23 21H1Zm-1.3 6v7h2.6V8Zm0 8.6v2.6h2.6v-2.6Z" />`,
  laid: svg`<path d="M2 5.5C2 3.6 6.5 2 12 2s10 1.6 10 3.5S17.5 9 12 9 2 7.4 2 5.5Zm0 4C4 11 8 11.8 12 11.8S20 11 22 9.5V13c0 1.9-4.5 3.5-10 3.5S2 14.9 2 13Zm0 7.5c2 1.5 6 2.3 10 2.3s8-.8 10-2.3v2c0 1.9-4.5 3.5-10 3.5S2 20.9 2 19Z" />`,
  unkeyed: svg`<path d="M2 5.5C2 3.6 6.5 2 12 2s10 1.6 10 3.5S17.5 9 12 9 2 7.4 2 5.5Zm0 4C4 11 8 11.8 12 11.8S20 11 22 9.5V13c0 1.9-4.5 3.5-10 3.5S2 14.9 2 13Zm0 7.5c2 1.5 6 2.3 10 2.3s8-.8 10-2.3v2c0 1.9-4.5 3.5-10 3.5S2 20.9 2 19Z" />`,
  unseen: svg`<path d="M12 2 23 21H1Zm-1.3 6v7h2.6V8Zm0 8.6v2.6h2.6v-2.6Z" />`,
  left: svg`<path d="M12 2 23 21H1Zm-1.3 6v7h2.6V8Zm0 8.6v2.6h2.6v-2.6Z" />`,
  empty: svg`<path fill-rule="evenodd" d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 2a7 7 0 1 1 0 14 7 7 0 0 1 0-14Z" />`,
  folded: svg`<path d="M2 4h20v3H2Zm0 13h20v3H2Zm10-1L6 9h12Z" />`,
  raised: svg`<path d="M12 2 22 13h-6v9H8v-9H2Z" />`,
  undecided: svg`<path d="M11 15.5h3V17h-3Zm0 3.5h3v3h-3ZM6 8.5C6 5 8.6 2 12.3 2 16 2 18.5 4.5 18.5 7.8c0 4.2-4.5 4.4-4.5 6.7h-3c0-4.2 4.3-4.4 4.3-6.6C15.3 6.3 14 5 12.3 5 10.4 5 9.1 6.5 9.1 8.5Z" />`,
  cross: svg`<path d="m4 2 8 8 8-8 2 2-8 8 8 8-2 2-8-8-8 8-2-2 8-8-8-8Z" />`,
  back: svg`<path fill-rule="evenodd" d="M8 4h15v16H8L1 12Zm3 4 3 4-3 4h2.5l2-2.7 2 2.7H20l-3-4 3-4h-2.5l-2 2.7-2-2.7Z" />`,
  star: svg`<path d="m12 1 3.2 7.4 8 .7-6 5.3 1.8 7.9-7-4.2-7 4.2 1.8-7.9-6-5.3 8-.7Z" />`,
  done: svg`<path d="M9 19 2 12l3-3 4 4L19 3l3 3Z" />`,
};
PATHS.win = PATHS.raised;
PATHS.lose = svg`<path d="M12 22 2 11h6V2h8v9h6Z" />`;
PATHS.push = svg`<path d="M1 12 7 6v4h10V6l6 6-6 6v-4H7v4Z" />`;
PATHS.refund = PATHS.give_back;
PATHS.waits = svg`<path d="M4 1h16v4l-6 7 6 7v4H4v-4l6-7-6-7Z" />`;

/** The shape of a state; the word stands beside it. */
export function mark(name) {
  return html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${PATHS[name] ?? PATHS.empty}</svg>`;
}
