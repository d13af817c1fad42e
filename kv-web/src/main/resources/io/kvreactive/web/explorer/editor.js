// One entry: its value, how long it lives, and what happens when somebody else was faster.
import { codeField, differences } from './code.js';
import { ask, copyButton, count, expiry, fill, h, size, toast } from './dom.js';
import { problemOf, toNumber, write } from './json.js';
import { keyField } from './jump.js';
import { isInternal, sameKey, typable, valueElements } from './keys.js';
import { convert, kindOf, kinds } from './values.js';

const RENDER_MAX = 1 << 20;
const HOUR = 3_600_000;
const LIVES = [['keep', ''], ['never', 'never expires'], [HOUR, 'in 1 hour'], [24 * HOUR, 'in 1 day'],
  [7 * 24 * HOUR, 'in 7 days'], [30 * 24 * HOUR, 'in 30 days'], ['at', 'at …']];

export class Editor {
  #app;
  #entry = null; // what was read; without versionstamp for a new one
  #kind = 'json';
  #was = { text: '', kind: 'json' };
  #loading = null;
  #insisted = false; // on editing an entry of a collection

  constructor(app, onclose, onsaved) {
    this.#app = app;
    this.onclose = onclose;
    this.onsaved = onsaved;
    this.keyField = keyField({ label: 'Key of the new entry', placeholder: 'users/ada', app });
    this.title = h('h2.key-title');
    this.code = codeField({ label: 'Value', language: () => this.#kind, rows: 14, oninput: () => this.#check() });
    this.text = this.code.input;
    this.chooser = h('select', { 'aria-label': 'Type', onchange: () => this.#convert() },
      Object.entries(kinds).map(([value, { label }]) => h('option', { value }, label)));
    this.problem = h('p.error', { role: 'alert' });
    this.large = h('div.large', { hidden: true });
    this.facts = h('dl.facts');
    this.life = h('select', { 'aria-label': 'Expires', onchange: () => this.#lifeChosen() },
      LIVES.map(([value, label]) => h('option', { value }, label)));
    this.at = h('input', { type: 'datetime-local', step: 1, hidden: true, 'aria-label': 'Expires at' , oninput: () => this.#check() });
    this.conflict = h('div.conflict', { role: 'alert', hidden: true });
    this.save = h('button.main', { title: 'Ctrl+S', onclick: () => this.store() }, 'Save');
    this.remove = h('button.danger', { onclick: () => this.#delete() }, 'Delete');
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
        h('button.plain', { 'aria-label': 'Close', title: 'Close (Esc)', onclick: () => this.close() }, '✕')),
      this.keyField.element, this.internal, this.conflict,
      h('div.editor-kind', null, this.chooser, this.hint = h('span.dim'), h('span.gap'), copyButton('Copy value', () => this.text.value)),
      this.code.element, this.large, this.problem, this.facts,
      h('div.editor-life', null, h('label', null, 'Expires ', this.life), this.at),
      h('div.editor-foot', null, this.save, this.remove));
  }

  get dirty() {
    return Boolean(this.#entry) && !this.text.readOnly
      && (this.text.value !== this.#was.text || this.#kind !== this.#was.kind || this.life.value !== 'keep');
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

  /** Closes without asking; the page asks. */
  hide() {
    this.#loading?.abort();
    this.#entry = null;
    this.element.hidden = true;
  }

  close() {
    this.onclose();
  }

  edit() {
    if (!this.#app.canEdit) return toast('Read-only: switch “Allow edits” on first.');
    if (this.isOpen) this.text.focus();
  }

  /** What is allowed has changed. */
  allow() {
    const internal = Boolean(this.#entry?.key) && isInternal(this.#entry.key);
    this.internal.hidden = !internal || this.#insisted;
    this.insist.hidden = !this.#app.canEdit || !this.#app.isAdmin;
    const can = this.#app.canEdit && Boolean(this.#entry) && (!internal || this.#insisted);
    this.text.readOnly = !can;
    for (const field of [this.life, this.at]) field.disabled = !can;
    this.chooser.disabled = !can || this.text.hidden; // what is not shown is not changed
    this.save.hidden = !can;
    this.remove.hidden = !can || !this.#entry.versionstamp;
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
    this.#was = { text: this.text.value, kind: this.#kind };
    const at = entry.expireAt && toNumber(entry.expireAt);
    this.life.options[0].textContent = at ? `${expiry(at)} (${new Date(at).toLocaleString()})` : 'never';
    this.life.options[1].hidden = !at;
    this.life.value = 'keep';
    this.at.hidden = true;
    this.facts.replaceChildren(...(entry.versionstamp
      ? [h('dt', null, 'Version'), h('dd', null, entry.versionstamp), h('dt', null, 'Size'),
        h('dd', null, `${count(bytes)} bytes as JSON`)]
      : entry.gone ? [h('dt', null, 'Absent'), h('dd', null, 'There is no such key, or no longer.')] : []));
    this.allow();
  }

  #check() {
    const problem = this.text.readOnly || this.text.value.length > RENDER_MAX ? ''
      : problemOf(() => kinds[this.#kind].read(this.text.value));
    this.problem.textContent = problem;
    this.text.ariaInvalid = problem !== '';
    this.save.disabled = problem !== '' || (Boolean(this.#entry?.versionstamp) && !this.dirty);
  }

  #convert() {
    const text = convert(this.text.value, this.#kind, this.chooser.value);
    this.#kind = this.chooser.value;
    this.code.set(text);
    this.#check();
  }

  #lifeChosen() {
    this.at.hidden = this.life.value !== 'at';
    if (!this.at.hidden) this.at.focus();
    this.#check();
  }

  /** When it is to expire; null for never. */
  #expireAt() {
    switch (this.life.value) {
      case 'keep': return this.#entry.expireAt ? toNumber(this.#entry.expireAt) : null;
      case 'never': return null;
      case 'at': return Date.parse(this.at.value) || this.#fail('say when it is to expire');
      default: return Date.now() + Number(this.life.value);
    }
  }

  #fail(message) {
    throw new Error(message);
  }

  /** Saves, when nobody else has changed the entry since it was read. */
  async store(overwrite) {
    if (this.save.hidden || !this.#entry || this.save.disabled && !overwrite) return;
    const { versionstamp } = this.#entry;
    const key = this.#entry.key ?? this.keyField.read();
    try {
      if (!key || key.length === 0) throw new Error('The entry needs a key.');
      if (isInternal(key) && !this.#insisted
        && !(await ask('Change a collection directly?', `${write(key)} is part of a collection. Items and indexes may contradict each other.`, 'Change'))) return;
      const expireAt = this.#expireAt();
      const value = this.#kind === 'json' ? this.text.value : write(kinds[this.#kind].read(this.text.value));
      const same = versionstamp && this.text.value === this.#was.text && this.#kind === this.#was.kind;
      this.save.disabled = true;
      if (same) await this.#touch(key, versionstamp, expireAt);
      else {
        await this.#app.api.json('PUT', 'entry', {
          query: { key, expireAt }, body: value,
          headers: { 'Content-Type': 'application/json',
            ...(versionstamp ? { 'If-Match': `"${versionstamp}"` } : { 'If-None-Match': '*' }) },
        });
      }
      this.#was = { text: this.text.value, kind: this.#kind };
      this.life.value = 'keep';
      toast('Saved.');
      await this.#load(key);
      this.onsaved(key);
    } catch (failure) {
      if (failure.code === 'CHECK_FAILED') await this.#conflicting(key);
      else {
        this.problem.textContent = failure.message;
        this.save.disabled = false;
      }
    }
  }

  async #touch(key, versionstamp, expireAt) {
    const done = await this.#app.api.json('POST', 'atomic', {
      json: { checks: [{ key, versionstamp }], mutations: [{ type: 'touch', key, expireAt }] },
    });
    if (!done.committed) throw Object.assign(new Error('changed'), { code: 'CHECK_FAILED' });
  }

  /** Somebody was faster: shows what is there now. */
  async #conflicting(key) {
    const found = await this.#app.api.json('POST', 'entries/get', { json: { keys: [key] } });
    const now = found.entries[0];
    const there = Boolean(now?.versionstamp);
    this.conflict.hidden = false;
    fill(this.conflict,
      h('strong', null, !there ? 'It was deleted meanwhile.'
        : this.#entry.versionstamp ? 'It was changed meanwhile.' : 'There is such an entry already.'),
      there && h('p', null, 'Now: ', h('code', null, valueElements(now.value, 400))),
      there && differences(kinds[kindOf(now.value)].text(now.value), this.text.value),
      there && h('p.dim', null, 'version ', now.versionstamp),
      h('div.buttons', null,
        h('button', { onclick: () => this.#load(key) }, there ? 'Take that one' : 'Forget mine'),
        h('button.danger', { onclick: () => {
          this.#entry = { ...this.#entry, key, versionstamp: now?.versionstamp ?? null };
          this.#was = { text: null, kind: null };
          this.store(true);
        } }, 'Overwrite')));
    this.conflict.querySelector('button').focus();
  }

  async #delete() {
    const { key, versionstamp } = this.#entry;
    if (!(await ask('Delete this entry?', write(key), 'Delete'))) return;
    try {
      await this.#app.api.json('DELETE', 'entry', { query: { key }, headers: { 'If-Match': `"${versionstamp}"` } });
      toast('Deleted.');
      this.hide();
      this.onsaved(null);
    } catch (failure) {
      if (failure.code === 'CHECK_FAILED') await this.#conflicting(key);
      else this.#app.fail(failure);
    }
  }
}
