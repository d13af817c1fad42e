// How long an entry lives: as before, for ever, for some time, or until a date.
import { expiry, h } from './dom.js';
import { toNumber } from './json.js';

const HOUR = 3_600_000;
const LIVES = [['keep', ''], ['never', 'never expires'], [HOUR, 'in 1 hour'], [24 * HOUR, 'in 1 day'],
  [7 * 24 * HOUR, 'in 7 days'], [30 * 24 * HOUR, 'in 30 days'], ['at', 'at …']];

/** The fields for the expiry of an entry; `onchange` is told when another is chosen. */
export class Life {
  #expireAt = null; // that was read

  constructor(onchange) {
    this.choice = h('select', { 'aria-label': 'Expires', onchange: () => {
      this.at.hidden = this.choice.value !== 'at';
      if (!this.at.hidden) this.at.focus();
      onchange();
    } }, LIVES.map(([value, label]) => h('option', { value }, label)));
    this.at = h('input', { type: 'datetime-local', step: 1, hidden: true, 'aria-label': 'Expires at', oninput: onchange });
    this.element = h('div.editor-life', null, h('label', null, 'Expires ', this.choice), this.at);
  }

  get isKept() {
    return this.choice.value === 'keep';
  }

  set disabled(disabled) {
    this.choice.disabled = this.at.disabled = disabled;
  }

  show(expireAt) {
    const at = (this.#expireAt = expireAt ? toNumber(expireAt) : null);
    this.choice.options[0].textContent = at ? `${expiry(at)} (${new Date(at).toLocaleString()})` : 'never';
    this.choice.options[1].hidden = !at;
    this.keep();
    this.at.hidden = true;
  }

  keep() {
    this.choice.value = 'keep';
  }

  /** The time of expiry in milliseconds since 1970; null for never. */
  read() {
    switch (this.choice.value) {
      case 'keep': return this.#expireAt;
      case 'never': return null;
      case 'at': {
        const at = Date.parse(this.at.value);
        if (!at) throw new Error('say when it is to expire');
        return at;
      }
      default: return Date.now() + Number(this.choice.value);
    }
  }
}
