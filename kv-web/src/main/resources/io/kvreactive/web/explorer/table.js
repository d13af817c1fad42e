// The entries below a prefix, a page at a time. Only what is shown of a page is kept in memory.
import { count, expiry, h, plural, shorter, size, SOON_MS } from './dom.js';
import { toNumber, write } from './json.js';
import { filtered, keyElements, sameKey, startsWith, valueElements } from './keys.js';

const PAGE = 100;
const encoder = new TextEncoder();

export class Table {
  #app;
  #prefix = [];
  #filter = '';
  #page = null; // {rows, before, after, offset}
  #loading = null;
  #selected = null;
  #body = h('tbody');
  #note = h('p.empty', { hidden: true });
  #where = h('span.where', { role: 'status' });
  #buttons = {};
  #all;

  constructor(app) {
    this.#app = app;
    const button = (name, text, title, go) =>
      (this.#buttons[name] = h('button', { title, 'aria-label': title, onclick: go }, text));
    const table = h('table', { role: 'grid', 'aria-label': 'Entries' },
      h('thead', null, h('tr', null,
        this.#all = h('th.c-pick', { scope: 'col' }, h('input', { type: 'checkbox', 'aria-label': 'Select all entries of this page', onchange: event => this.#pickAll(event.target.checked) })),
        h('th.c-key', { scope: 'col' }, 'Key'), h('th.c-value', { scope: 'col' }, 'Value'),
        h('th.c-version', { scope: 'col' }, 'Version'), h('th.c-expiry', { scope: 'col' }, 'Expires'),
        h('th.c-size', { scope: 'col', title: 'of the value as JSON' }, 'Size'))),
      this.#body);
    this.element = h('div.entries', { onkeydown: event => this.#keyDown(event) },
      h('div.scroll', null, table, this.#note),
      h('div.pager', null,
        button('first', '⇤', 'First page', () => this.first()),
        button('before', ['←', h('span.word', null, ' Previous')], 'Previous page', () => this.#turn('before')),
        this.#where,
        button('count', 'Count', 'Count all entries below this prefix', () => this.#count()),
        button('after', [h('span.word', null, 'Next '), '→'], 'Next page', () => this.#turn('after')),
        button('last', '⇥', 'Last page', () => this.last())));
    setInterval(() => this.#clock(), 1000);
  }

  async show(prefix, filter) {
    this.#prefix = prefix;
    this.#filter = filter;
    await this.first();
  }

  /** Turns to the page that begins with a key, unless it is on the one that is shown. */
  async reveal(key) {
    if (!startsWith(key, this.#prefix) || key.length === this.#prefix.length || [...this.#body.rows].some(row => sameKey(row.kvKey, key))) return;
    await this.#load({ start: key }, null);
  }

  /** The range of the list, or of its part from a start or up to an end. */
  #range({ start, end, ...query } = {}) {
    const range = this.#filter ? filtered(this.#prefix, this.#filter) : {};
    start ??= range.start;
    end ??= range.end;
    return { ...query, ...(start && end ? { start, end } : { prefix: this.#prefix, start, end }) };
  }

  first() {
    return this.#load({}, 0);
  }

  last() {
    return this.#load({ reverse: true }, null);
  }

  /** Reads the page again. */
  refresh() {
    return this.#page ? this.#load(this.#page.query, this.#page.offset) : this.first();
  }

  select(key) {
    this.#selected = key;
    for (const row of this.#body.rows) {
      const here = Boolean(key) && sameKey(row.kvKey, key);
      row.ariaSelected = here;
      row.tabIndex = here ? 0 : -1;
    }
    if (!this.#body.querySelector('[tabindex="0"]') && this.#body.rows[0]) this.#body.rows[0].tabIndex = 0;
  }

  focus() {
    this.#body.querySelector('[tabindex="0"]')?.focus();
  }

  #turn(way) {
    const { before, after, offset, rows } = this.#page;
    if (way === 'before' && before) {
      return this.#load(before, offset == null ? null : Math.max(0, offset - PAGE));
    }
    if (way === 'after' && after) return this.#load(after, offset == null ? null : offset + rows);
  }

  async #load(query, offset) {
    this.#loading?.abort();
    const loading = (this.#loading = new AbortController());
    this.element.ariaBusy = true;
    let page;
    try {
      page = await this.#app.api.get('entries', { limit: PAGE, ...this.#range(query) }, loading.signal);
    } catch (failure) {
      if (failure.name !== 'AbortError') this.#problem(failure);
      return;
    } finally {
      if (this.#loading === loading) this.element.ariaBusy = null;
    }
    const entries = query.reverse ? page.entries.reverse() : page.entries;
    if (query.reverse && query.end && !page.cursor) return this.first(); // whole pages from the start
    const first = entries[0]?.key;
    const later = query.reverse ? (query.end ? { start: query.end } : null) : page.cursor && { cursor: page.cursor };
    const earlier = query.reverse ? page.cursor : query.cursor || query.start;
    this.#page = {
      query, offset, rows: entries.length, after: later,
      before: earlier && first ? { end: first, reverse: true } : null,
    };
    this.#draw(entries);
  }

  #draw(entries) {
    const focused = this.#body.contains(document.activeElement);
    this.#body.replaceChildren(...entries.map(entry => this.#row(entry)));
    this.#note.hidden = entries.length > 0;
    this.#note.textContent = this.#filter ? `There is nothing here that the filter “${this.#filter}” finds.` : this.#prefix.length ? 'There is nothing below this prefix.' : 'This database is empty.';
    const { offset, before, after } = this.#page;
    const end = offset + entries.length;
    this.#where.textContent = !entries.length ? ''
      : offset == null || (!before && !after) ? plural(entries.length, 'entry', 'entries') : `${count(offset + 1)} – ${count(end)}`;
    this.#buttons.before.disabled = this.#buttons.first.disabled = !before;
    this.#buttons.after.disabled = this.#buttons.last.disabled = !after;
    this.#buttons.count.hidden = !before && !after;
    this.element.querySelector('.scroll').scrollTop = 0;
    this.select(this.#selected);
    this.#picked();
    if (focused) this.focus();
  }

  #row({ key, value, versionstamp, expireAt }) {
    const bytes = encoder.encode(write(value)).length;
    const rest = Array.isArray(key) ? key.slice(this.#prefix.length) : [key];
    const at = expireAt && toNumber(expireAt);
    const pick = h('input', { type: 'checkbox', tabIndex: -1, 'aria-label': `Select ${write(key)}`, onchange: () => this.#picked() });
    const row = h('tr', { tabIndex: -1, onclick: () => this.#open(row) },
      h('td.c-pick', { onclick: event => event.stopPropagation() }, pick),
      h('td.c-key', { title: write(key) }, keyElements(rest)),
      h('td.c-value', null, valueElements(value)),
      h('td.c-version', { title: versionstamp }, shorter(versionstamp)),
      h('td.c-expiry', at ? { title: new Date(at).toISOString() } : null),
      h('td.c-size', null, size(bytes)));
    Object.assign(row, { kvKey: key, kvExpireAt: at || null, kvVersion: versionstamp, kvPick: pick });
    if (at) tick(row);
    return row;
  }

  /** The entries that are selected: key and versionstamp. */
  get picked() {
    return [...this.#body.rows].filter(row => row.kvPick.checked).map(row => ({ key: row.kvKey, versionstamp: row.kvVersion }));
  }

  #picked() {
    const all = this.picked;
    this.#all.firstChild.checked = all.length > 0 && all.length === this.#body.rows.length;
    this.onpick?.(all.length);
  }

  #pickAll(on) {
    for (const row of this.#body.rows) row.kvPick.checked = on;
    this.#picked();
  }

  /** Expiry goes on while one looks. */
  #clock() {
    for (const row of this.element.checkVisibility() ? this.#body.rows : []) {
      if (row.kvExpireAt) tick(row);
    }
  }

  #open(row) {
    row.focus();
    this.#app.go({ key: row.kvKey });
  }

  async #count() {
    this.#buttons.count.disabled = true;
    try {
      const all = await this.#app.api.get('count', this.#range(), this.#loading.signal);
      this.#where.textContent += ` of ${count(toNumber(all.count))}`;
      this.#buttons.count.hidden = true;
    } catch (failure) {
      this.#app.fail(failure);
    } finally {
      this.#buttons.count.disabled = false;
    }
  }

  #problem(failure) {
    this.#body.replaceChildren();
    this.#picked();
    this.#note.hidden = false;
    this.#note.textContent = failure.message;
  }

  #keyDown(event) {
    const row = event.target.closest('tbody tr');
    if (!row) return;
    if (event.key === ' ' && this.#app.canEdit) {
      event.preventDefault();
      row.kvPick.checked = !row.kvPick.checked;
      this.#picked();
      return;
    }
    const rows = this.#body.rows;
    const to = {
      ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling, Home: rows[0], End: rows[rows.length - 1],
    }[event.key];
    if (to) {
      row.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    } else if (event.key === 'Enter') this.#open(row);
    else if (event.key === 'PageDown') this.#turn('after');
    else if (event.key === 'PageUp') this.#turn('before');
    else if (event.key === 'ArrowLeft') this.#app.focusTree();
    else if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
  }
}

function tick(row) {
  const cell = row.querySelector('.c-expiry');
  const soon = row.kvExpireAt - Date.now() < SOON_MS;
  cell.textContent = expiry(row.kvExpireAt);
  cell.classList.toggle('soon', soon);
}
