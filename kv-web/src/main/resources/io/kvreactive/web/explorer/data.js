// The view of the data: the tree, the entries of a prefix, and the one that is open.
import { ask, count, h, plural, splitter, toast } from './dom.js';
import { Follower } from './follow.js';
import { kind, toNumber, write } from './json.js';
import { INTERNAL, isInternal, partText, sameKey, startsWith, typable } from './keys.js';
import { Table } from './table.js';
import { Tree } from './tree.js';

export class DataView {
  #app;
  #away = false; // another view is shown
  #editor = null; // until an entry is opened
  #shown = null; // prefix and database that the table has

  constructor(app) {
    this.#app = app;
    this.tree = new Tree(app);
    this.table = new Table(app);
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
    this.remove = h('button.danger.delete-selected', { hidden: true, onclick: () => this.#deleteSelected() });
    this.follower = new Follower(app, () => this.table.refresh(true));
    this.table.onload = (range, versionstamp, again) => this.#loaded(range, versionstamp, again);
    this.table.onpick = picked => {
      this.remove.hidden = !this.#app.canEdit || !picked;
      this.remove.textContent = `Delete ${picked}`;
    };
    this.removeAll = h('button.danger.delete-all', { onclick: () => this.#deleteAll() }, 'Delete all …');
    this.element = h('div.data', null, this.side, splitter('Width of the tree', '--side', this.side, { left: true }),
      h('section.list', { 'aria-label': 'List' },
        h('div.bar', null, this.menu, this.crumbs, this.filter, this.remove, this.removeAll, this.add, this.follower.element,
          h('button', { title: 'Read again (r)', 'aria-label': 'Read again', onclick: () => this.refresh() }, '⟳')),
        this.table.element));
  }

  hide() {
    this.#away = true;
    this.follower.pause();
  }

  /** A page was read: follows it; when it was read again, the open entry and the tree follow too. */
  #loaded(range, versionstamp, again) {
    if (!this.#away) this.follower.watch(range, versionstamp);
    if (!again) return;
    const { before, entries } = again;
    const open = this.#app.state.key && entries.find(({ key }) => sameKey(key, this.#app.state.key));
    if (open || before.has(write(this.#app.state.key))) this.#editor?.changed(open ?? null);
    if (before.size !== entries.length || entries.some(({ key }) => !before.has(write(key)))) this.tree.follow();
  }

  /** The editor of the open entry; null if none was open yet. */
  get editor() {
    return this.#editor;
  }

  async #loadEditor() {
    const { Editor } = await import('./editor.js');
    if (!this.#editor) {
      this.#editor = new Editor(this.#app, () => this.#app.go({ key: null, creating: null }), (key, state) => this.#saved(key, state), key => this.#moved(key));
      this.element.append(splitter('Width of the entry', '--editor', this.#editor.element, { left: false }), this.#editor.element);
    }
    return this.#editor;
  }

  /** Opens an entry, unless one has gone elsewhere before the editor is there. */
  async #open(key) {
    const editor = await this.#loadEditor();
    if (!sameKey(this.#app.state.key, key)) return;
    await editor.open(key);
    this.allow();
  }

  #filtered() {
    const filter = this.filter.value.trim();
    if (filter !== this.#app.state.filter) this.#app.go({ filter, key: null });
  }

  async show({ database, prefix, key, filter }) {
    this.add.hidden = !this.#app.canEdit;
    this.removeAll.hidden = !this.#app.canEdit || !prefix.length || filter !== '';
    const moved = this.#shown?.database !== database || !sameKey(this.#shown.prefix, prefix)
      || this.#shown.filter !== filter;
    if (this.#shown?.database !== database) await this.tree.reset();
    this.#shown = { database, prefix, filter };
    this.filter.value = filter;
    this.#sidebar(false);
    if (moved) this.#drawCrumbs(prefix);
    const reading = moved ? this.table.show(prefix, filter) : this.#away ? this.table.refresh(true) : null;
    this.#away = false;
    if (key) this.#open(key);
    else this.#editor?.hide();
    this.element.classList.toggle('with-editor', Boolean(key));
    await reading;
    if (key) await this.table.reveal(key);
    this.table.select(key);
    await this.tree.select(prefix, key);
  }

  async create() {
    if (!this.#app.canEdit) return this.edit();
    const [editor] = await Promise.all([this.#loadEditor(), this.#app.go({ key: null })]);
    this.element.classList.add('with-editor');
    editor.create(this.#app.state.prefix);
  }

  edit() {
    if (!this.#app.canEdit) return toast('Read-only: switch “Allow edits” on first.');
    this.#editor?.focus();
  }

  /** Deletes what is selected, unless one of the entries has changed since it was read. */
  async #deleteSelected() {
    const picked = this.table.picked;
    const internal = picked.some(({ key }) => isInternal(key));
    if (!(await ask(`Delete ${plural(picked.length, 'entry', 'entries')}?`,
      internal ? 'Some are part of a collection: items and indexes may contradict each other.' : picked.map(({ key }) => write(key)).slice(0, 8).join('\n')
        + (picked.length > 8 ? '\n…' : ''), 'Delete', internal ? 'kvi' : null))) return;
    try {
      const done = await this.#app.api.json('POST', 'atomic', {
        json: { checks: picked, mutations: picked.map(({ key }) => ({ type: 'delete', key })) },
      });
      if (done.committed === false) return toast('Nothing was deleted: an entry has changed meanwhile. Read the list again.', true);
    } catch (failure) {
      return this.#app.fail(failure);
    }
    toast(`Deleted ${plural(picked.length, 'entry', 'entries')}.`);
    if (picked.some(({ key }) => sameKey(key, this.#app.state.key))) await this.#app.go({ key: null });
    await this.refresh();
  }

  /** Deletes everything below the prefix, once it is counted and its last part was typed. */
  async #deleteAll() {
    const { prefix } = this.#app.state;
    try {
      const all = toNumber((await this.#app.api.get('count', { prefix })).count);
      if (!all) return toast('There is nothing to delete.');
      const internal = startsWith(prefix, INTERNAL);
      if (!(await ask(`Delete ${plural(all, 'entry', 'entries')}?`,
        `All ${count(all)} entries below ${write(prefix)}. ${internal ? 'They are part of collections, which will be damaged. ' : ''}This cannot be undone.`,
        'Delete all', typable(prefix)))) return;
      await this.#app.api.send('DELETE', 'entries', { query: { prefix } });
      toast(`Deleted ${plural(all, 'entry', 'entries')}.`);
      await this.refresh();
    } catch (failure) {
      this.#app.fail(failure);
    }
  }

  allow() {
    this.add.hidden = !this.#app.canEdit;
    this.removeAll.hidden = !this.#app.canEdit || !this.#app.state.prefix.length || this.#app.state.filter !== '';
    if (!this.#app.canEdit) this.remove.hidden = true;
    this.#editor?.allow();
  }

  refresh() {
    return Promise.all([this.tree.refresh(), this.table.refresh()]);
  }

  /** Resolves to whether what was typed may be lost. */
  async mayLeave() {
    return !this.#editor?.dirty || ask('Leave without saving?', 'What you changed is not saved.', 'Leave');
  }

  /** The entry of a key was saved, or deleted if it is null; `state` is where one was then. */
  async #saved(key, state = this.#app.state) {
    await this.refresh();
    if (state !== this.#app.state) return; // one went elsewhere meanwhile
    if (!key || this.#editor.isOpen && !sameKey(this.#app.state.key, key)) await this.#app.go({ key });
  }

  async #moved(key) {
    const { state } = this.#app;
    await this.refresh();
    if (state !== this.#app.state) return;
    await this.#app.go({ ...(startsWith(key, state.prefix) && key.length > state.prefix.length ? {} : { prefix: key.slice(0, -1) }), key });
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
