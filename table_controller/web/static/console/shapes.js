// A state is told by a shape of its own, a word and a colour: the shapes are drawn here.

import { html, svg } from '../lit-html.js';

const SHAPES = {
  well: svg`<path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-1.2 10.3L3.6 8.1l1.3-1.3 1.9 1.9 4.2-4.3 1.3 1.4Z"/>`,
  warn: svg`<path fill-rule="evenodd" d="M8 .9 16 15H0Zm-.9 5v4.6h1.8V5.9Zm0 5.8v1.8h1.8v-1.8Z"/>`,
  bad: svg`<path fill-rule="evenodd" d="M4.9.5h6.2L15.5 5v6.1L11 15.5H5L.5 11V5Zm.3 3.3L3.8 5.2 6.6 8l-2.8 2.8 1.4 1.4L8 9.4l2.8 2.8 1.4-1.4L9.4 8l2.8-2.8-1.4-1.4L8 6.6Z"/>`,
  info: svg`<path fill-rule="evenodd" d="m8 .3 7.7 7.7L8 15.7.3 8Zm-.9 6.6v4.8h1.8V6.9Zm0-2.6v1.8h1.8V4.3Z"/>`,
  hold: svg`<path fill-rule="evenodd" d="M1 1h14v14H1Zm3.6 3.2v7.6h2.3V4.2Zm4.5 0v7.6h2.3V4.2Z"/>`,
  off: svg`<path fill-rule="evenodd" d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm0 2a5 5 0 1 1 0 10A5 5 0 0 1 8 3Z"/>`,
  disc: svg`<path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z"/>`,
  coin: svg`<path fill-rule="evenodd" d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm0 2.6L9.3 7l3.1.1-2.5 2 .9 3.2L8 10.5l-2.8 1.8.9-3.2-2.5-2L6.7 7Z"/>`,
  person: svg`<path d="M8 1.2a3.3 3.3 0 1 1 0 6.6 3.3 3.3 0 0 1 0-6.6ZM1.6 15c0-3.6 2.6-5.8 6.4-5.8s6.4 2.2 6.4 5.8Z"/>`,
  lock: svg`<path fill-rule="evenodd" d="M4 7V4.9a4 4 0 0 1 8 0V7h1.4v8H2.6V7Zm1.9 0h4.2V4.9a2.1 2.1 0 0 0-4.2 0Z"/>`,
};

/** A shape alone; the words beside it say what it means. */
export function shape(name) {
  return html`<svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">${SHAPES[name] ?? SHAPES.info}</svg>`;
}

/** A state: its shape, its words, its colour. */
export function state(kind, words, form = kind) {
  return html`<span class="state ${kind}">${shape(form)}<span>${words}</span></span>`;
}

/** A notice: one sentence with the shape of how grave it is. */
export function notice(kind, words, form = kind) {
  return html`<div class="notice ${kind}"><span class="state ${kind}">${shape(form)}</span><div>${words}</div></div>`;
}
