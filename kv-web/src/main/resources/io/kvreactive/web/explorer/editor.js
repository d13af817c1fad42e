// One entry: its value, how long it lives, and what happens when somebody else was faster.
import { codeField } from './code.js';
import { showConflict } from './diff.js';
import { ask, copyButton, count, h, size, toast } from './dom.js';
import { problemOf, write } from './json.js';
import { keyField } from './jump.js';
import { isInternal, sameKey, typable, valueElements } from './keys.js';
import { Life } from './life.js';
import { convert, kindOf, kinds } from './values.js';
import { deleteEntry, entryNow, putEntry, touchEntry } from './write.js';

const RENDER_MAX = 1 << 20;

export class Editor {
  #app;
  #entry = null; // what was read; without versionstamp for a new one
  #kind = 'json';
  #was = { text: '', kind: 'json' };
  #loading = null;
  #insisted = false; // on editing an entry of a collection

  constructor(app, onclose, onsaved, onmoved) {
    this.#app = app;
    Object.assign(this, { close: onclose, onsaved, onmoved });
    this.keyField = keyField({ label: 'Key of the new entry', placeholder: 'users/ada', app });
    this.title = h('h2.key-title');
    this.code = codeField({ label: 'Value', language: () => kinds[this.#kind].language ?? this.#kind, rows: 14, oninput: () => this.#check() });
    this.text = this.code.input;
    this.chooser = h('select', { 'aria-label': 'Type', onchange: () => this.#convert() },
      Object.entries(kinds).map(([value, { label }]) => h('option', { value }, label)));
    this.problem = h('p.error', { role: 'alert' });
    this.stale = h('p.stale', { role: 'status' });
    this.form = h('p.dim.form', { id: 'value-form' });
    this.text.setAttribute('aria-describedby', this.form.id);
    this.large = h('div.large', { hidden: true });
    this.facts = h('dl.facts');
    this.life = new Life(() => this.#check());
    this.conflict = h('div.conflict', { role: 'alert', hidden: true });
    this.save = h('button.main', { title: 'Ctrl+S', onclick: () => this.store() }, 'Save');
    this.remove = h('button.danger', { onclick: () => this.#delete() }, 'Delete');
    this.moves = [['Copy to …', true], ['Rename …', false]].map(([label, copies]) =>
      h('button', { title: 'After what was changed is saved', onclick: () => this.#move(copies) }, label));
    this.insist = h('button', { onclick: () => {
      this.#insisted = true;
      this.allow();
    } }, 'Edit anyway');
    this.internal = h('div.internal', { hidden: true },
      h('p', null, h('strong', null, 'This entry is part of a collection.'),
        ' A direct change may leave items and indexes that contradict each other. Change items in the view Collections.'), this.insist);
    this.element = h('aside.editor', { 'aria-label': 'Entry', hidden: true },
      h('div.editor-head', null, this.title,
        copyButton('Copy key', () => (Array.isArray(this.#entry.key) ? typable(this.#entry.key) : write(this.#entry.key))),
        h('button.plain', { 'aria-label': 'Close', title: 'Close (Esc)', onclick: onclose }, '✕')),
      this.keyField.element, this.internal, this.conflict, this.stale,
      h('div.editor-kind', null, this.chooser, this.hint = h('span.dim'), h('span.gap'), this.code.foldAll, copyButton('Copy value', () => this.code.value)),
      this.code.element, this.form, this.large, this.problem, this.facts,
      this.life.element,
      h('div.editor-foot', null, this.save, h('span.gap'), this.moves, this.remove));
  }

  get dirty() {
    return Boolean(this.#entry) && !this.text.readOnly
      && (this.code.value !== this.#was.text || this.#kind !== this.#was.kind || !this.life.isKept);
  }

  get isOpen() {
    return !this.element.hidden;
  }

  async open(key) {
    if (this.#entry?.versionstamp && sameKey(this.#entry.key, key) && this.isOpen) return;
    await this.#load(key);
  }

  create(prefix) {
    this.#loading?.abort();
    this.#show({ key: null, value: '' }, 'string');
    this.keyField.set(prefix, '/');
    if (!prefix.length) this.keyField.input.value = '';
    this.keyField.input.focus();
  }

  /** The entry was read again by somebody else; null if it is gone. What is being edited stays, and conflicts when it is saved. */
  changed(now) {
    if (!this.#entry?.versionstamp || now?.versionstamp === this.#entry.versionstamp || !this.conflict.hidden) return;
    if (now && !this.dirty) this.#load(this.#entry.key);
    else this.stale.textContent = now ? 'It was changed meanwhile.' : 'It was deleted meanwhile.';
  }

  async #move(copies) {
    const { moveEntry } = await import('./move.js');
    const key = await moveEntry(this.#app, this.#entry, copies);
    if (key) this.onmoved(key);
  }

  /** Closes without asking; the page asks. */
  hide() {
    this.#loading?.abort();
    this.#entry = null;
    this.element.hidden = true;
  }

  focus() {
    if (this.isOpen) this.text.focus();
  }

  /** What is allowed has changed. */
  allow() {
    const internal = Boolean(this.#entry?.key) && isInternal(this.#entry.key);
    this.internal.hidden = !internal || this.#insisted;
    this.insist.hidden = !this.#app.canEdit || !this.#app.isAdmin;
    const can = this.#app.canEdit && Boolean(this.#entry) && (!internal || this.#insisted);
    this.text.readOnly = !can;
    this.life.disabled = !can;
    this.chooser.disabled = !can || this.text.hidden; // what is not shown is not changed
    this.save.hidden = !can;
    this.remove.hidden = !can || !this.#entry.versionstamp;
    for (const move of this.moves) move.hidden = this.remove.hidden || !Array.isArray(this.#entry.key);
    this.hint.textContent = can ? '' : 'read-only';
    this.#check();
  }

  async #load(key) {
    this.#loading?.abort();
    const loading = (this.#loading = new AbortController());
    try {
      this.#show(await this.#app.api.get('entry', { key }, loading.signal));
    } catch (failure) {
      if (failure.code !== 'NO_SUCH_KEY') return this.#app.fail(failure);
      this.#show({ key, value: '', gone: true }, 'string');
    }
  }

  #show(entry, asKind) {
    if (!sameKey(this.#entry?.key, entry.key)) this.#insisted = false;
    this.#entry = entry;
    const isNew = entry.key === null;
    this.element.hidden = false;
    this.conflict.hidden = true;
    this.stale.textContent = '';
    this.keyField.element.hidden = !isNew;
    this.title.textContent = isNew ? 'New entry' : write(entry.key);
    const json = write(entry.value);
    const bytes = new TextEncoder().encode(json).length;
    const tooLarge = bytes > RENDER_MAX && !entry.shown;
    this.#kind = asKind ?? kindOf(entry.value);
    this.chooser.value = this.#kind;
    this.code.element.hidden = this.text.hidden = tooLarge;
    this.large.hidden = !tooLarge;
    this.code.set(tooLarge ? '' : kinds[this.#kind].text(entry.value));
    if (tooLarge) {
      this.large.replaceChildren(h('p', null, `This value has ${size(bytes)}.`),
        h('button', { onclick: () => this.#show({ ...entry, shown: true }) }, 'Show it anyway'));
    }
    this.#was = { text: this.code.value, kind: this.#kind };
    this.life.show(entry.expireAt);
    this.facts.replaceChildren(...(entry.versionstamp
      ? [h('dt', null, 'Version'), h('dd', null, entry.versionstamp), h('dt', null, 'Size'),
        h('dd', null, `${count(bytes)} bytes as JSON`)]
      : entry.gone ? [h('dt', null, 'Absent'), h('dd', null, 'There is no such key, or no longer.')] : []));
    this.allow();
  }

  #check() {
    const problem = this.text.readOnly || this.code.value.length > RENDER_MAX ? ''
      : problemOf(() => kinds[this.#kind].read(this.code.value));
    this.form.textContent = this.text.readOnly ? '' : kinds[this.#kind].form ?? '';
    this.problem.textContent = problem;
    this.text.ariaInvalid = problem !== '';
    for (const move of this.moves) move.disabled = this.dirty;
    this.save.disabled = problem !== '' || (Boolean(this.#entry?.versionstamp) && !this.dirty);
  }

  #convert() {
    const text = convert(this.code.value, this.#kind, this.chooser.value);
    this.#kind = this.chooser.value;
    this.code.set(text);
    this.#check();
  }

  /** Saves, when nobody else has changed the entry since it was read. */
  async store(overwrite) {
    if (this.save.hidden || !this.#entry || this.save.disabled && !overwrite) return;
    const { state } = this.#app;
    const { versionstamp } = this.#entry;
    const key = this.#entry.key ?? this.keyField.read();
    try {
      if (!key || key.length === 0) throw new Error('The entry needs a key.');
      if (isInternal(key) && !this.#insisted
        && !(await ask('Change a collection directly?', `${write(key)} is part of a collection. Items and indexes may contradict each other.`, 'Change'))) return;
      const expireAt = this.life.read();
      const value = this.#kind === 'json' ? this.code.value : write(kinds[this.#kind].read(this.code.value));
      const same = versionstamp && this.code.value === this.#was.text && this.#kind === this.#was.kind;
      this.save.disabled = true;
      await (same ? touchEntry : putEntry)(this.#app.api, { key, versionstamp, expireAt, json: value });
      this.#was = { text: this.code.value, kind: this.#kind };
      this.life.keep();
      toast('Saved.');
      if (state === this.#app.state) await this.#load(key);
      this.onsaved(key, state);
    } catch (failure) {
      if (failure.code === 'CHECK_FAILED') await this.#conflicting(key);
      else {
        this.problem.textContent = failure.message;
        this.save.disabled = false;
      }
    }
  }

  /** The text in the layout of what is stored, so that only real differences show. */
  #mine() {
    const { text, read } = kinds[this.#kind];
    try {
      return text(read(this.code.value));
    } catch {
      return this.code.value;
    }
  }

  /** Somebody was faster: shows what is there now. */
  async #conflicting(key) {
    const now = await entryNow(this.#app.api, key);
    showConflict(this.conflict, {
      title: !now ? 'It was deleted meanwhile.'
        : this.#entry.versionstamp ? 'It was changed meanwhile.' : 'There is such an entry already.',
      facts: now && [h('p', null, 'Now: ', h('code', null, valueElements(now.value, 400))), h('p.dim', null, 'version ', now.versionstamp)],
      stored: now && kinds[kindOf(now.value)].text(now.value), mine: this.#mine(),
      take: [now ? 'Take that one' : 'Forget mine', () => this.#load(key)],
      overwrite: ['Overwrite', () => {
        this.#entry = { ...this.#entry, key, versionstamp: now?.versionstamp ?? null };
        this.#was = { text: null, kind: null };
        this.store(true);
      }],
    });
  }

  async #delete() {
    const { key } = this.#entry;
    if (!(await ask('Delete this entry?', write(key), 'Delete'))) return;
    try {
      await deleteEntry(this.#app.api, this.#entry);
      toast('Deleted.');
      this.hide();
      this.onsaved(null);
    } catch (failure) {
      if (failure.code === 'CHECK_FAILED') await this.#conflicting(key);
      else this.#app.fail(failure);
    }
  }
}
