// The entries below a prefix, a page at a time. Only what is shown of a page is kept in memory.
import { count, expiry, h, plural, shorter, size, SOON_MS } from './dom.js';
import { kind, preview, toNumber, write } from './json.js';
import { behind, filtered, keyElements, sameKey, startsWith, valueElements } from './keys.js';

const PAGE = 100;
const encoder = new TextEncoder();
const bytesOf = value => encoder.encode(write(value)).length;

/** The columns, and by what a page is sorted by one of them. */
const COLUMNS = {
  key: { type: 'key', label: 'Key' },
  value: { type: 'value', label: 'Value', by: ({ value }) => [kind(value), kind(value) === 'number' ? toNumber(value) : preview(value)] },
  version: { type: 'version', label: 'Version', by: ({ versionstamp }) => [versionstamp] },
  expiry: { type: 'expiry', label: 'Expires', by: ({ expireAt }) => [expireAt ? toNumber(expireAt) : Infinity] },
  size: { type: 'size', label: 'Size', title: '; the size is that of the value as JSON', by: ({ value }) => [bytesOf(value)] },
};

export class Table {
  #app;
  #prefix = [];
  #filter = '';
  #page = null; // {query, rows, before, after, offset}
  #requested = null; // {query, offset}: the page that was requested last
  #reading = null; // until it is drawn
  #loading = null;
  #selected = null;
  #entries = []; // of the page, in the order of their keys
  #sorted = null; // {name, down}
  #total = null; // when they were counted
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
        Object.keys(COLUMNS).map(name => this.#header(name)))),
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
    this.#sorted = null;
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

  /**
   * Reads the page again; on request keeps what is selected and where one is, and marks what has changed, unless a page is
   * being read.
   */
  refresh(keep) {
    if (keep && this.#reading) return this.#reading; // never in place of a page that one has turned to
    return this.#requested ? this.#load(this.#requested.query, this.#requested.offset, keep) : this.first();
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

  #load(query, offset, keep) {
    this.#requested = { query, offset };
    const reading = (this.#reading = this.#read(query, offset, keep).finally(() => {
      if (this.#reading === reading) this.#reading = null;
    }));
    return reading;
  }

  async #read(query, offset, keep) {
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
    this.#entries = entries;
    const before = keep && new Map([...this.#body.rows].map(row => [write(row.kvKey), row]));
    if (!keep) this.#total = null;
    this.#draw(before);
    this.onload?.(this.#shownRange(), page.versionstamp, before && { before, entries });
  }

  /** The range of which this page shows everything. */
  #shownRange() {
    const { before, after, query } = this.#page;
    const last = this.#entries.at(-1)?.key;
    const next = query.reverse ? query.end : Array.isArray(last) ? behind(last.at(-1)) : null;
    return this.#range({
      start: before ? before.end : undefined,
      end: !after || next == null ? undefined : query.reverse ? next : [...last.slice(0, -1), next],
    });
  }

  #draw(before) {
    const entries = this.#order();
    const { scrollTop } = this.element.querySelector('.scroll');
    const focused = this.#body.contains(document.activeElement) && document.activeElement.closest('tr').kvKey;
    this.#body.replaceChildren(...entries.map(entry => this.#row(entry, before)));
    this.#note.hidden = entries.length > 0;
    this.#note.textContent = this.#filter ? `There is nothing here that the filter “${this.#filter}” finds.` : this.#prefix.length ? 'There is nothing below this prefix.' : 'This database is empty.';
    const { offset, before: earlier, after } = this.#page;
    const end = offset + entries.length;
    this.#where.textContent = !entries.length ? ''
      : offset == null || (!earlier && !after) ? plural(entries.length, 'entry', 'entries') : `${count(offset + 1)} – ${count(end)}`;
    this.#buttons.before.disabled = this.#buttons.first.disabled = !earlier;
    this.#buttons.after.disabled = this.#buttons.last.disabled = !after;
    this.#buttons.count.hidden = !earlier && !after;
    if (this.#total !== null) this.#where.textContent += ` of about ${count(this.#total)}`;
    if (this.#sorted && (earlier || after)) this.#where.textContent += ', sorted on this page only';
    this.element.querySelector('.scroll').scrollTop = before ? scrollTop : 0;
    this.select(this.#selected);
    this.#picked();
    if (focused) ([...this.#body.rows].find(row => before && sameKey(row.kvKey, focused)) ?? this.#body.querySelector('[tabindex="0"]'))?.focus();
  }

  #header(name) {
    const { type, title, label } = COLUMNS[name];
    return h(`th.c-${type}`, { scope: 'col', 'aria-sort': 'none' }, h('button.sort-page', {
      title: `Sort this page${title ?? ''}`, onclick: event => this.#sort(name, event.target.closest('tr')),
    }, label));
  }

  /** Sorts by a column, then the other way round, then by key as before. */
  #sort(name, head) {
    this.#sorted = this.#sorted?.name !== name ? { name, down: false } : this.#sorted.down ? null : { name, down: true };
    Object.keys(COLUMNS).forEach((each, i) => {
      const way = this.#sorted?.name === each ? this.#sorted.down : null;
      head.cells[i + 1].ariaSort = way === null ? 'none' : way ? 'descending' : 'ascending';
      head.cells[i + 1].firstChild.textContent = COLUMNS[each].label + (way === null ? '' : way ? ' ↓' : ' ↑');
    });
    this.#draw();
  }

  #order() {
    if (!this.#sorted) return this.#entries;
    const { name, down } = this.#sorted;
    if (name === 'key') return down ? this.#entries.toReversed() : this.#entries;
    const { by } = COLUMNS[name];
    const ranked = this.#entries.map(entry => ({ entry, by: by(entry) }));
    const compare = ({ by: a }, { by: b }) => a.reduce((order, one, i) => order || (one < b[i] ? -1 : one > b[i] ? 1 : 0), 0);
    return ranked.sort((a, b) => compare(a, b) * (down ? -1 : 1)).map(one => one.entry);
  }

  #row({ key, value, versionstamp, expireAt }, others) {
    const bytes = bytesOf(value);
    const before = others?.get(write(key));
    const same = before?.kvVersion === versionstamp;
    const rest = Array.isArray(key) ? key.slice(this.#prefix.length) : [key];
    const at = expireAt && toNumber(expireAt);
    const pick = h('input', { type: 'checkbox', tabIndex: -1, 'aria-label': `Select ${write(key)}`, onchange: () => this.#picked() });
    pick.checked = same && before.kvPick.checked;
    const row = h(others && !same ? 'tr.flash' : 'tr', { tabIndex: -1, onclick: () => this.#open(row) },
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
      this.#total = toNumber(all.count);
      this.#where.textContent += ` of ${count(this.#total)}`;
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
