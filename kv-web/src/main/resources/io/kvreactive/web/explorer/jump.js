// A field for a key: what is typed, and a chip for each part that tells its kind and changes it.
import { h } from './dom.js';
import { kind, write } from './json.js';
import { partOf, partText, startsWith, typable, typed } from './keys.js';
import { suggest } from './suggest.js';

const SUGGESTED = 12;

/** Asks for the keys below the typed parts, those that begin with the last one. */
async function completions(app, text) {
  const parts = typed(text);
  const below = !parts.length || /[/\s]$/.test(text);
  const last = below ? null : parts.at(-1);
  if (text.trim().startsWith('[') || last?.part) return null;
  const prefix = (below ? parts : parts.slice(0, -1)).map(partOf);
  if (app.roots.length && !app.roots.some(root => startsWith(prefix, root))) return null;
  // what reads as a number is the start of strings too
  const readings = !last ? [null] : [...new Set([last.kind, 'string'])].map(kind => partOf({ ...last, kind }));
  const pages = await Promise.all(readings.map(start => app.api.get('tree', {
    prefix, start: start === null ? null : [...prefix, start], limit: SUGGESTED,
  })));
  const begins = part => !last || (typeof part === 'string' ? part.startsWith(last.text) : partText(part).startsWith(last.text));
  const found = new Map(pages.flatMap(page => page.children)
    .filter(child => Array.isArray(child.key) && begins(child.part)).map(child => [write(child.key), child]));
  return {
    from: 0,
    list: [...found.values()].slice(0, SUGGESTED).map(child => ({
      label: partText(child.part) || '""', kind: child.hasChildren ? (child.isKey ? 'key, prefix' : 'prefix') : kind(child.part),
      insert: typable(child.key) + (child.hasChildren && !child.isKey ? '/' : ''), key: child.key,
    })),
  };
}

export function keyField({ label, placeholder, onenter, oninput, app }) {
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

  const element = h('div.key-field', null, input, chips);
  if (app) suggest(input, { candidates: text => completions(app, text), place: () => (chips.childElementCount ? chips : input).getBoundingClientRect() });
  return {
    element,
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
