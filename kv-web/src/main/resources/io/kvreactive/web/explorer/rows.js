// Rows of a query as a table, as JSON or as a picture, and as files.
import { h, size } from './dom.js';
import { isItem } from './item.js';
import { isNumber, kind, lines, preview, toNumber, write } from './json.js';

const PICTURES = { map: () => import('./map.js'), vectors: () => import('./vectors.js') };
const SAVED_MAX = 100_000; // rows
const DRAWN_MAX = 5000; // rows of the table; the others are in the file

const byOwn = (a, b) => a.startsWith('_') - b.startsWith('_');

export class Rows {
  all = [];
  #form = 'table';
  #asked = null;
  #names = [];
  #body = null;
  #sorted = null; // {name, down}

  /** `open` is told which row to open as an item of the collection that `info()` describes. */
  constructor(open, info) {
    this.open = open;
    this.info = info;
    this.element = h('div.scroll.card', { hidden: true, tabIndex: 0, role: 'region', 'aria-label': 'Result' });
  }

  clear(asked) {
    this.all = [];
    this.#asked = asked;
    this.#body = null;
    this.#sorted = null;
  }

  /** Shows rows in addition; a table that has all of their columns is only made longer. */
  add(rows, form) {
    this.all.push(...rows);
    this.element.hidden = false;
    const known = rows.every(row => kind(row) === 'object' && Object.keys(row).every(name => this.#names.includes(name)));
    if (form === 'table' && form === this.#form && this.#body && known && !this.#sorted && this.all.length <= DRAWN_MAX) {
      this.#body.append(...rows.map(row => this.#row(row)));
      this.#scores(rows);
    } else this.as(form);
  }

  /** All rows, those too that are not loaded yet: `ask` reads a page, `told` is told how many there are. */
  async complete(continuation, ask, told) {
    const all = [...this.all];
    while (continuation && all.length < SAVED_MAX) {
      const page = await ask(continuation);
      for (const row of page.items) all.push(row);
      ({ continuation } = page);
      told(all.length);
    }
    return { all, more: Boolean(continuation) };
  }

  as(form) {
    this.#form = form;
    this.#body = null;
    const rows = this.all;
    if (!rows.length) return this.element.replaceChildren(h('p.empty', null, 'No rows.'));
    const picture = PICTURES[form];
    if (picture) return picture().then(one => form === this.#form && this.element.replaceChildren(one.of(rows, this.#asked, this.info())));
    if (form === 'json' || !rows.every(row => kind(row) === 'object')) {
      return this.element.replaceChildren(h('pre.rows', null, rows.map(row => lines(row)).join('\n')));
    }
    this.#names = [...new Set(rows.flatMap(Object.keys))].sort(byOwn);
    const shown = this.#order(rows).slice(0, DRAWN_MAX);
    this.#body = h('tbody', null, shown.map(row => this.#row(row)));
    this.element.replaceChildren(h('table.rows', { 'aria-label': 'Rows' },
      h('thead', null, h('tr', null, this.#names.map(name => this.#header(name)))), this.#body),
    rows.length > shown.length && h('p.empty', null, `The first ${DRAWN_MAX} rows are shown; a saved file has all.`) || '');
    this.#scores(shown);
  }

  #scores(rows) {
    if (/VectorDistance|ST_DISTANCE/i.test(this.#asked.query)) {
      PICTURES.vectors().then(one => this.#body && one.showScores(this.element.querySelector('table'), rows, this.#asked.query));
    }
  }

  #header(name) {
    const sorted = this.#sorted?.name === name;
    return h('th', { scope: 'col', 'aria-sort': sorted ? (this.#sorted.down ? 'descending' : 'ascending') : 'none' },
      h('button.sort', { title: 'Sort the rows that are loaded', onclick: () => {
        this.#sorted = !sorted ? { name, down: false } : this.#sorted.down ? null : { name, down: true };
        this.as(this.#form);
        [...this.element.querySelectorAll('button.sort')].find(one => one.dataset.name === name)?.focus();
      }, 'data-name': name }, name, sorted ? (this.#sorted.down ? ' ↓' : ' ↑') : ''));
  }

  #order(rows) {
    if (!this.#sorted) return rows;
    const { name, down } = this.#sorted;
    const rank = value => (value === undefined ? 0 : kind(value) === 'number' ? 1 : 2);
    const compare = (a, b) => rank(a) - rank(b)
      || (rank(a) === 1 ? toNumber(a) - toNumber(b) : rank(a) === 2 ? text(a).localeCompare(text(b)) : 0);
    const text = value => (typeof value === 'string' ? value : write(value));
    return [...rows].sort((a, b) => compare(a[name], b[name]) * (down ? -1 : 1));
  }

  #row(row) {
    const info = this.info();
    const openable = info && isItem(info, row);
    return h('tr', openable ? { onclick: () => this.open(row), className: 'openable' } : null, this.#names.map(name => {
      if (!(name in row)) return h('td.dim', null, '');
      const value = row[name];
      const text = typeof value === 'string' ? value.slice(0, 200) : preview(value, 120);
      return h('td', { title: preview(value, 1000) }, openable && name === 'id'
        ? h('button.link', { title: 'Open the item', onclick: event => {
          event.stopPropagation();
          this.open(row);
        } }, text || '""')
        : h('span', { className: 'k-' + kind(value) }, text));
    }));
  }
}

/** A cell of CSV; what a spreadsheet would take for a formula is marked as text. */
function cell(value) {
  if (value === undefined) return '';
  const plain = typeof value === 'string' ? value.replace(/^(?=[=+@\t\r-])/, "'") : isNumber(value) ? value.rawJSON : write(value);
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export function csv(rows) {
  if (!rows.every(row => kind(row) === 'object')) return ['value', ...rows.map(cell)].join('\r\n') + '\r\n';
  const names = [...new Set(rows.flatMap(Object.keys))].sort(byOwn);
  return [names.map(cell), ...rows.map(row => names.map(name => cell(row[name])))].map(line => line.join(',')).join('\r\n') + '\r\n';
}

/** Saves rows as a file; returns its bytes. */
export function save(rows, format, name) {
  const blob = format === 'csv' ? new Blob([csv(rows)], { type: 'text/csv' })
    : new Blob(['[\n', rows.map(row => write(row)).join(',\n'), '\n]\n'], { type: 'application/json' });
  const url = URL.createObjectURL(blob);
  h('a', { href: url, download: `${name.replace(/[^\w.-]+/g, '_').slice(0, 60)}.${format}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  return blob.size;
}
