// The items of a collection, a page at a time, those that a condition selects.
import { duration, h, plural } from './dom.js';
import { preview, toNumber, write } from './json.js';
import { at, openItem, partitionPaths, pathOf } from './item.js';

const SIZES = [20, 50, 100, 500];

export class Items {
  #app;
  #info = null;
  #pages = [null]; // continuations of the pages up to the one that is shown
  #next = null;
  #running = null;

  constructor(app) {
    this.#app = app;
    this.condition = h('input', { type: 'search', autocomplete: 'off', placeholder: "all items; or a condition: c.city = 'Oslo'", 'aria-label': 'Condition' });
    this.size = h('select', { 'aria-label': 'Items a page', onchange: () => this.first() }, SIZES.map(n => h('option', { value: n, selected: n === 50 }, `${n} a page`)));
    this.add = h('button', { onclick: () => this.#open() }, '+ New item');
    this.problem = h('p.error', { role: 'alert' });
    this.head = h('thead');
    this.body = h('tbody');
    this.note = h('p.empty', { hidden: true });
    this.where = h('span.where', { role: 'status' });
    this.before = h('button', { title: 'Previous page', onclick: () => this.#turn(-1) }, '← Previous');
    this.after = h('button', { title: 'Next page', onclick: () => this.#turn(1) }, 'Next →');
    this.element = h('div.items', null,
      h('form.bar', { role: 'search', onsubmit: event => {
        event.preventDefault();
        this.first();
      } }, this.condition, h('button', { type: 'submit' }, 'Find'), this.size, this.add),
      this.problem,
      h('div.scroll', { tabIndex: 0, role: 'region', 'aria-label': 'Items' }, h('table.item-rows', { 'aria-label': 'Items' }, this.head, this.body), this.note),
      h('div.pager', null, this.before, this.where, this.after));
  }

  /** Shows the items of a collection from the first on. */
  async show(info) {
    const same = this.#info?.name === info.name;
    this.#info = info;
    this.allow();
    if (same) return;
    this.condition.value = '';
    await this.first();
  }

  /** Forgets which collection was shown. */
  clear() {
    this.#running?.abort();
    this.#info = null;
  }

  allow() {
    this.add.hidden = !this.#app.canEdit;
  }

  async first() {
    this.#pages = [null];
    await this.#load();
  }

  async #turn(by) {
    if (by > 0) this.#pages.push(this.#next);
    else this.#pages.pop();
    await this.#load();
  }

  async #load() {
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    const condition = this.condition.value.trim();
    this.element.ariaBusy = 'true';
    this.problem.textContent = '';
    try {
      const page = await this.#app.api.json('POST', pathOf(this.#info.name) + '/query', {
        json: {
          query: 'SELECT * FROM c' + (condition ? ` WHERE ${condition}` : ''),
          maxItemCount: Number(this.size.value), continuation: this.#pages.at(-1),
        },
        signal: running.signal,
      });
      this.#next = page.continuation;
      this.#draw(page);
    } catch (failure) {
      if (failure.name !== 'AbortError') this.problem.textContent = failure.message;
    } finally {
      if (this.#running === running) this.element.ariaBusy = null;
    }
  }

  #draw({ items, metrics }) {
    const paths = partitionPaths(this.#info).filter(path => path !== '/id');
    this.head.replaceChildren(h('tr', null, h('th', { scope: 'col' }, 'id'),
      paths.map(path => h('th', { scope: 'col', title: 'Partition key' }, path)),
      h('th.c-item', { scope: 'col' }, 'Item'), h('th', { scope: 'col' }, 'Changed')));
    this.body.replaceChildren(...items.map(item => {
      const { id, _ts, _etag, ...rest } = item;
      return h('tr', { onclick: () => this.#open(item) },
        h('th', { scope: 'row' }, h('button.link', { onclick: event => {
          event.stopPropagation();
          this.#open(item);
        } }, typeof id === 'string' ? id || '""' : write(id))),
        paths.map(path => h('td', null, preview(at(item, path) ?? null, 60))),
        h('td.c-item', null, preview(rest, 200)),
        h('td.dim', null, new Date(toNumber(_ts) * 1000).toLocaleString()));
    }));
    this.note.hidden = items.length > 0;
    this.note.textContent = this.condition.value.trim() ? 'No item meets this condition.' : 'This collection has no items.';
    const from = (this.#pages.length - 1) * Number(this.size.value);
    this.where.textContent = `${this.#pages.length > 1 || this.#next ? `page ${this.#pages.length}: ` : ''}${plural(items.length, 'item')}, ${duration(toNumber(metrics.totalMs))}`;
    this.before.disabled = !from;
    this.after.disabled = !this.#next;
  }

  async #open(item) {
    if (await openItem(this.#app, this.#info, item)) await this.#load();
  }
}
