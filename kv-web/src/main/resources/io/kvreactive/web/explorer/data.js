// The view of the data: the tree, the entries of a prefix, and the one that is open.
import { ask, h } from './dom.js';
import { Editor } from './editor.js';
import { kind } from './json.js';
import { partText, sameKey } from './keys.js';
import { Table } from './table.js';
import { Tree } from './tree.js';

export class DataView {
  #app;
  #shown = null; // prefix and database that the table has

  constructor(app) {
    this.#app = app;
    this.tree = new Tree(app);
    this.table = new Table(app);
    this.editor = new Editor(app, () => app.go({ key: null, creating: null }), key => this.#saved(key));
    this.crumbs = h('nav.crumbs', { 'aria-label': 'Prefix' });
    this.add = h('button', { title: 'New entry (n)', onclick: () => this.create() }, '+ New');
    this.side = h('section.side', { 'aria-label': 'Tree' }, this.tree.element);
    this.menu = h('button.tree-open', {
      'aria-label': 'Tree', 'aria-expanded': false, onclick: () => this.#sidebar(),
    }, '☰');
    this.filter = h('input.filter', {
      type: 'search', autocomplete: 'off', placeholder: 'Filter: ev, a..f, 100..200  ( f )', 'aria-label': 'Filter of the next part',
      title: 'ev: begins with ev; 12: is 12; a..f, 100..200, 100..: a range, with both ends',
      onkeydown: event => event.key === 'Enter' && this.#filtered(), onsearch: () => this.#filtered(),
    });
    this.element = h('div.data', null, this.side,
      h('section.list', { 'aria-label': 'List' },
        h('div.bar', null, this.menu, this.crumbs, this.filter, this.add,
          h('button', { title: 'Read again (r)', 'aria-label': 'Read again', onclick: () => this.refresh() }, '⟳')),
        this.table.element),
      this.editor.element);
  }

  #filtered() {
    const filter = this.filter.value.trim();
    if (filter !== this.#app.state.filter) this.#app.go({ filter, key: null });
  }

  async show({ database, prefix, key, filter }) {
    this.add.hidden = !this.#app.canEdit;
    const moved = this.#shown?.database !== database || !sameKey(this.#shown.prefix, prefix)
      || this.#shown.filter !== filter;
    if (this.#shown?.database !== database) await this.tree.reset();
    this.#shown = { database, prefix, filter };
    this.filter.value = filter;
    this.#sidebar(false);
    if (moved) this.#drawCrumbs(prefix);
    const reading = moved ? this.table.show(prefix, filter) : null;
    if (key) this.editor.open(key).then(() => this.allow());
    else this.editor.hide();
    this.element.classList.toggle('with-editor', Boolean(key));
    await reading;
    if (key) await this.table.reveal(key);
    this.table.select(key);
    await this.tree.select(prefix, key);
  }

  create() {
    if (!this.#app.canEdit) return this.editor.edit();
    this.#app.go({ key: null }).then(() => {
      this.element.classList.add('with-editor');
      this.editor.create(this.#app.state.prefix);
    });
  }

  allow() {
    this.add.hidden = !this.#app.canEdit;
    this.editor.allow();
  }

  refresh() {
    return Promise.all([this.tree.refresh(), this.table.refresh()]);
  }

  /** Resolves to whether what was typed may be lost. */
  async mayLeave() {
    return !this.editor.dirty || ask('Leave without saving?', 'What you changed is not saved.', 'Leave');
  }

  async #saved(key) {
    await this.refresh();
    if (!key || this.editor.isOpen && !sameKey(this.#app.state.key, key)) await this.#app.go({ key });
  }

  #sidebar(open = !this.side.classList.contains('open')) {
    this.side.classList.toggle('open', open);
    this.menu.setAttribute('aria-expanded', open);
    if (open) this.tree.focus();
  }

  #drawCrumbs(prefix) {
    const crumb = (text, title, to, here, type) => h('a', {
      href: this.#app.href({ prefix: to, key: null }), title, ...(here ? { 'aria-current': 'page' } : {}),
    }, type ? h(`span.k-${type}`, null, text) : text);
    this.crumbs.replaceChildren(
      crumb('all keys', 'All keys', [], !prefix.length),
      ...prefix.flatMap((part, i) => [
        h('span.slash', { 'aria-hidden': true }, '/'),
        crumb(partText(part) || '""', kind(part), prefix.slice(0, i + 1), i === prefix.length - 1, kind(part)),
      ]));
  }
}
