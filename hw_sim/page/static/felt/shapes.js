// Small shapes: each state has a form of its own, so that no colour has to be told from another.
import { html, svg } from '../lit-html.js';

const PATHS = {
  go: svg`<circle cx="12" cy="12" r="10" />`,
  soon: svg`<path d="M12 2 23 21H1Z" />`,
  stop: svg`<rect x="2" y="2" width="20" height="20" />`,
  wait: svg`<path d="M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm0 4a6 6 0 1 1 0 12 6 6 0 0 1 0-12Z" />`,
  hold: svg`<path d="M8 1h8l7 7v8l-7 7H8l-7-7V8Zm2 5v8h4V6Zm0 10v3h4v-3Z" />`,
  tick: svg`<path d="m3 13 3-3 4 4L19 4l3 3-12 13Z" />`,
  cross: svg`<path d="m5 2 7 7 7-7 3 3-7 7 7 7-3 3-7-7-7 7-3-3 7-7-7-7Z" />`,
  lamp: svg`<path d="M12 1a8 8 0 0 0-4 15v3h8v-3a8 8 0 0 0-4-15ZM9 20h6v3H9Z" />`,
  dark: svg`<path d="M12 1a8 8 0 0 0-4 15v3h8v-3a8 8 0 0 0-4-15Zm0 3a5 5 0 0 1 2 9.600V16h-4v-2.400A5 5 0 0 1 12 4ZM9 20h6v3H9Z" />`,
};

/** One shape by its name. */
export function shape(name) {
  return html`<svg class="shape" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${PATHS[name]}</svg>`;
}
