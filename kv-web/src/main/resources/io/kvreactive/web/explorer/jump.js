// A field for a key: what is typed, and a chip for each part that tells its kind and changes it.
import { h } from './dom.js';
import { write } from './json.js';
import { partOf, typable, typed } from './keys.js';

export function keyField({ label, placeholder, onenter, oninput }) {
  const chips = h('div.chips', { 'aria-label': 'Parts of the key' });
  const input = h('input', {
    type: 'text', placeholder, 'aria-label': label, autocomplete: 'off', autocapitalize: 'off',
    oninput: () => { draw(); oninput?.(); },
    onkeydown: event => {
      if (event.key === 'Enter' && onenter) {
        event.preventDefault();
        const key = read();
        if (key) onenter(key);
      }
    },
  });
  let now = [], chosen = new Map(); // text of a part -> the kind chosen for it

  function read() {
    try {
      return now.length ? now.map(partOf) : typed(input.value) && [];
    } catch {
      return null;
    }
  }

  function draw() {
    let problem = '';
    try {
      now = typed(input.value);
    } catch (failure) {
      now = [];
      problem = failure.message;
    }
    for (const chip of now) {
      const kind = chosen.get(chip.text);
      if (chip.kinds.includes(kind)) chip.kind = kind;
    }
    input.ariaInvalid = problem !== '';
    chips.replaceChildren(...(problem ? [h('span.error', null, problem)] : now.map(chipElement)));
  }

  function chipElement(chip) {
    const next = chip.kinds[(chip.kinds.indexOf(chip.kind) + 1) % chip.kinds.length];
    const several = chip.kinds.length > 1;
    return h('button.chip', {
      disabled: !several, title: several ? `a ${chip.kind}; click for ${next}` : chip.kind,
      // the field must keep the focus, or the chips would go
      onmousedown: event => event.preventDefault(),
      onclick: () => {
        chosen.set(chip.text, next);
        const at = now.indexOf(chip);
        draw();
        chips.children[at]?.focus();
        oninput?.();
      },
    }, h('span', null, chip.text), h(`small.k-${chip.kind}`, null, chip.kind));
  }

  return {
    element: h('div.key-field', null, input, chips),
    input,
    read,
    set(key, more = '') {
      chosen = new Map();
      input.value = key.length ? typable(key) + more : '';
      draw();
    },
    text: () => write(read()),
  };
}
