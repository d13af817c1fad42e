// Elements and texts. Whatever comes from a store only ever becomes text, never markup.

/** An element: h('div.row', {title: 'x', onclick: f}, child, 'text', …). */
export function h(name, attributes, ...children) {
  const [tag, ...classes] = name.split('.');
  const element = document.createElement(tag);
  if (tag === 'button') element.type = tag; // sends no form, unless it is told to
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key in element && !key.includes('-')) element[key] = value;
    else if (value != null) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter(child => child != null && child !== false));
  return element;
}

/** Replaces what an element contains; null and false are left out. */
export const fill = (element, ...children) =>
  element.replaceChildren(...children.flat().filter(child => child != null && child !== false));

export const $ = id => document.getElementById(id);

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function size(bytes) {
  let unit = 0;
  for (; bytes >= 1024 && unit < units.length - 1; unit++) bytes /= 1024;
  return `${unit && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
}

export const count = number => Number(number).toLocaleString('en');
export const plural = (number, word, more = word + 's') => `${count(number)} ${Number(number) === 1 ? word : more}`;

/** A duration of so many milliseconds, in two digits or so. */
export function duration(ms) {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  const steps = [[60, 's'], [60, 'min'], [24, 'h'], [Infinity, 'd']];
  let amount = ms / 1000;
  for (const [next, unit] of steps) {
    if (amount < next) return `${amount < 10 && unit !== 'd' ? +amount.toFixed(1) : Math.floor(amount)} ${unit}`;
    amount /= next;
  }
}

/** When something expires, from now. */
export function expiry(at) {
  const left = at - Date.now();
  return left <= 0 ? 'expired' : `in ${duration(left)}`;
}

export const SOON_MS = 5 * 60_000;

export const shorter = versionstamp => versionstamp.replace(/^0+(?=.)/, '');

/** A view of what one path answers, drawn again every so often while one looks. */
export class Polled {
  #timer = 0;

  constructor(app, path, everyMs) {
    Object.assign(this, { app, path, everyMs });
  }

  async show() {
    this.hide();
    this.#timer = setInterval(() => !document.hidden && this.refresh(), this.everyMs);
    await this.refresh();
  }

  hide() {
    clearInterval(this.#timer);
  }

  async refresh() {
    try {
      this.draw(await this.app.api.get(this.path));
    } catch (failure) {
      this.hide();
      this.app.fail(failure);
    }
  }
}

/** A button that puts a text on the clipboard. */
export const copyButton = (label, text) => h('button', { onclick: async () => {
  try {
    await navigator.clipboard.writeText(text());
    toast('Copied.');
  } catch {
    toast('The browser does not allow this page to copy.', true);
  }
} }, label);

/** A short message below the header, read out by screen readers. */
export function toast(text, bad) {
  const line = h(bad ? 'p.bad' : 'p', null, text);
  for (const other of $('toasts').children) if (other.textContent === text) other.remove();
  $('toasts').append(line);
  setTimeout(() => line.remove(), bad ? 9000 : 3500);
}

/** Asks; resolves to whether the answer was yes. If `word` is given, it has to be typed first. */
export function ask(title, text, yes, word) {
  return new Promise(resolve => {
    const confirm = h('button.danger', { type: 'submit', value: 'yes', disabled: Boolean(word) }, yes);
    const typed = word && h('input', { type: 'text', autocomplete: 'off', oninput: () => (confirm.disabled = typed.value.trim() !== word) });
    const dialog = h('dialog.ask', { 'aria-label': title, onclose: () => {
      resolve(dialog.returnValue === 'yes');
      dialog.remove();
    } },
    h('h2', null, title), h('p', null, text),
    h('form', { method: 'dialog' },
      typed && h('label', null, 'Type ', h('code', null, word), ' to confirm', typed),
      h('button', { type: 'submit', value: 'no', autofocus: true }, 'Cancel'), confirm));
    document.body.append(dialog);
    dialog.showModal();
  });
}

const PANE_STEP = 24, PANE_MIN = 150;

/** A bar between two panes that makes a pane wider: by pointer or by the arrow keys. The width is kept in the browser. */
export function splitter(label, variable, pane, { left }) {
  const width = () => pane.getBoundingClientRect().width;
  const set = pixels => {
    const wide = Math.round(Math.max(PANE_MIN, Math.min(pixels, innerWidth * 0.6)));
    document.documentElement.style.setProperty(variable, `${wide}px`);
    localStorage.setItem(variable, wide);
    bar.setAttribute('aria-valuenow', wide);
  };
  const bar = h('div.splitter', {
    role: 'separator', tabIndex: 0, 'aria-orientation': 'vertical', 'aria-label': label, 'aria-valuenow': 0, 'aria-valuemin': PANE_MIN,
    onkeydown: event => {
      const by = { ArrowLeft: -PANE_STEP, ArrowRight: PANE_STEP }[event.key];
      if (!by) return;
      event.preventDefault();
      set(width() + (left ? by : -by));
    },
    onpointerdown: event => {
      bar.setPointerCapture(event.pointerId);
      const from = event.clientX, was = width();
      bar.onpointermove = move => set(was + (left ? move.clientX - from : from - move.clientX));
      bar.onpointerup = () => (bar.onpointermove = null);
    },
  });
  const kept = Number(localStorage.getItem(variable));
  if (kept) set(kept);
  return bar;
}
