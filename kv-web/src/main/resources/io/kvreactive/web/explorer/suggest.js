// A list of completions below a field, driven by the arrow keys while the field keeps the focus.
import { h } from './dom.js';

let ids = 0;

/**
 * Adds completions to a field. `candidates(text, caret)` resolves to {from, list: [{label, kind, insert}]}: what replaces
 * the text from there to the caret. `place()` is the rectangle that the list opens below. `chosen` is told after one was taken.
 */
export function suggest(input, { candidates, place, chosen }) {
  const list = h('ul.suggestions', { role: 'listbox', id: `suggestions-${++ids}`, hidden: true, popover: 'manual', 'aria-label': 'Completions' });
  input.after(list);
  for (const [name, value] of Object.entries({ 'aria-autocomplete': 'list', 'aria-controls': list.id })) input.setAttribute(name, value);
  let shown = [], at = -1, from = 0, asked = 0;

  function close() {
    asked++;
    shown = [];
    if (!list.hidden) list.hidePopover();
    list.hidden = true;
    list.replaceChildren(); // a closed list offers nothing
    input.removeAttribute('aria-activedescendant');
  }

  function mark(next) {
    at = next;
    [...list.children].forEach((item, i) => (item.ariaSelected = String(i === at)));
    if (at < 0) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', list.children[at].id);
    list.children[at].scrollIntoView({ block: 'nearest' });
  }

  function take(one) {
    input.setRangeText(one.insert, from, input.selectionStart, 'end');
    close();
    input.dispatchEvent(new Event('input', { bubbles: true }));
    chosen?.(one);
  }

  async function open() {
    const mine = ++asked;
    let found;
    try {
      found = await candidates(input.value, input.selectionStart);
    } catch {
      found = null; // a field without completions is a field still
    }
    if (mine !== asked) return;
    if (!found?.list.length || document.activeElement !== input) return close();
    ({ from, list: shown } = found);
    list.replaceChildren(...shown.map((one, i) => h('li', {
      role: 'option', id: `${list.id}-${i}`,
      onmousedown: event => {
        event.preventDefault(); // the field keeps the focus
        take(one);
      },
    }, h('span', null, one.label), h('small.type', null, one.kind))));
    list.hidden = false;
    list.showPopover();
    list.style.left = '0'; // its width does not depend on where it was
    const { left, bottom } = place();
    list.style.left = `${Math.max(4, Math.min(left, innerWidth - list.offsetWidth - 4))}px`;
    list.style.top = `${Math.min(bottom + 4, innerHeight - 60)}px`;
    mark(-1);
  }

  input.addEventListener('input', event => event.isTrusted && open());
  input.addEventListener('blur', close);
  input.addEventListener('keydown', event => {
    if (list.hidden) {
      if (event.key === ' ' && event.ctrlKey) {
        event.preventDefault();
        open();
      }
      return;
    }
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (next !== undefined) mark(next < -1 ? shown.length - 1 : next === shown.length ? -1 : next);
    else if ((event.key === 'Enter' && at >= 0) || (event.key === 'Tab' && !event.shiftKey)) take(shown[Math.max(at, 0)]);
    else if (event.key === 'Escape') close();
    else {
      if (event.key === 'Enter') close();
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true); // before what the field itself does with keys
  return { open, close };
}
