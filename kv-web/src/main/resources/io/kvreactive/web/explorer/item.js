// One item of a collection: viewing, creating, replacing the version that was read, deleting.
import { codeField } from './code.js';
import { showConflict } from './diff.js';
import { ask, copyButton, h, toast } from './dom.js';
import { kind, lines, parse, problemOf, toNumber, write } from './json.js';

export const pathOf = name => 'collections/' + encodeURIComponent(name);

const PARTS = ['partitionKey', 'indexingPolicy', 'defaultTtl', 'uniqueKeyPolicy', 'geospatialConfig', 'vectorEmbeddingPolicy', 'computedProperties'];

/** The part of a description that can be changed. */
export const definitionOf = info => Object.fromEntries(PARTS.filter(part => part in info).map(part => [part, info[part]]));

/** The names along a path such as /address/city or /"a b"/c. */
export const steps = path => (path.match(/"(?:[^"\\]|\\.)*"|[^/]+/g) ?? [])
  .map(step => (step.startsWith('"') ? JSON.parse(step) : step)).filter(step => step !== '?');

export const partitionPaths = info => info.partitionKey?.paths ?? [];

/** What an item has at a path; undefined if nothing. */
export const at = (item, path) => steps(path).reduce(
  (value, step) => (value !== undefined && kind(value) === 'object' ? value[step] : undefined), item);

/** The partition of an item as the routes take it; undefined in a collection without partition key. */
export function partitionOf(info, item) {
  const values = partitionPaths(info).map(path => at(item, path) ?? null);
  return values.length > 1 ? write(values) : values.length ? write(values[0]) : undefined;
}

/** Returns true if a row says which item it is of. */
export const isItem = (info, row) => kind(row) === 'object' && typeof row.id === 'string'
  && (typeof row._etag === 'string' || partitionPaths(info).every(path => at(row, path) !== undefined));

/** The address of an item; the id is JSON, because a path cannot have all ids. */
const query = (info, item) => ({ id: write(item.id), partitionKey: partitionOf(info, item) });

const body = ({ _ts, _etag, ...own }) => own;

/** Opens an item of a collection, or a new one if there is no row; resolves when the dialog is closed, to whether something was changed. */
export async function openItem(app, info, row) {
  const path = pathOf(info.name) + '/items';
  const read = () => app.api.get(path, query(info, row));
  let item = null;
  try {
    if (row) item = await read();
  } catch (failure) {
    app.fail(failure);
    return false;
  }
  return new Promise(resolve => new ItemDialog(app, info, path, item, read, resolve));
}

class ItemDialog {
  #app;
  #info;
  #path;
  #item; // what was read; null for a new one
  #was = '';
  #changed = false;

  constructor(app, info, path, item, read, done) {
    this.#app = app;
    this.#info = info;
    this.#path = path;
    this.read = read;
    this.title = h('h2.key-title');
    this.code = codeField({ label: 'Item as JSON', language: () => 'json', rows: 18, oninput: () => this.#check() });
    this.problem = h('p.error', { role: 'alert' });
    this.conflict = h('div.conflict', { role: 'alert', hidden: true });
    this.facts = h('dl.facts');
    this.save = h('button.main', { title: 'Ctrl+S', onclick: () => this.#store() }, 'Save');
    this.remove = h('button.danger', { onclick: () => this.#delete() }, 'Delete');
    this.locked = h('p.dim', null, 'To change items, switch “Allow edits” on.');
    this.dialog = h('dialog.item', {
      'aria-label': 'Item',
      onclose: () => {
        this.dialog.remove();
        done(this.#changed);
      },
      oncancel: event => {
        event.preventDefault();
        this.close();
      },
      onkeydown: event => {
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        this.#store();
      },
    },
    h('div.editor-head', null, this.title, this.code.foldAll, copyButton('Copy', () => this.code.value),
      h('button.plain', { 'aria-label': 'Close', title: 'Close (Esc)', onclick: () => this.close() }, '✕')),
    this.conflict, this.code.element, this.problem, this.facts, this.locked,
    h('div.editor-foot', null, this.save, this.remove));
    document.body.append(this.dialog);
    this.#show(item);
    this.dialog.showModal();
    this.code.input.focus();
    this.code.input.setSelectionRange(0, 0);
  }

  async close() {
    const dirty = !this.code.input.readOnly && this.code.value !== this.#was;
    if (!dirty || (await ask('Leave without saving?', 'What you changed is not saved.', 'Leave'))) this.dialog.close();
  }

  #show(item) {
    this.#item = item;
    const can = this.#app.canEdit;
    const template = Object.assign({ id: '' }, ...partitionPaths(this.#info).map(path => {
      const [first, ...more] = steps(path);
      return { [first]: more.reduceRight((inner, step) => ({ [step]: inner }), '') };
    }));
    this.title.textContent = item ? item.id : `New item of ${this.#info.name}`;
    this.#was = lines(item ? body(item) : template);
    this.code.set(this.#was);
    this.code.input.readOnly = !can;
    this.conflict.hidden = true;
    this.save.hidden = !can;
    this.remove.hidden = !can || !item;
    this.locked.hidden = can;
    this.facts.replaceChildren(...(item ? [h('dt', null, 'Etag'), h('dd', null, item._etag),
      h('dt', null, 'Changed'), h('dd', null, new Date(toNumber(item._ts) * 1000).toLocaleString()),
      ...(partitionPaths(this.#info).length ? [h('dt', null, 'Partition'), h('dd', null, partitionOf(this.#info, item))] : [])] : []));
    this.#check();
  }

  #check() {
    const problem = this.code.input.readOnly ? '' : problemOf(() => {
      const document = parse(this.code.value);
      if (kind(document) !== 'object') throw new Error('An item is a JSON object.');
      if (this.#item && write(document.id) !== write(this.#item.id)) {
        throw new Error('The id of an item cannot be changed: create another item, then delete this one.');
      }
      if (this.#item && partitionOf(this.#info, document) !== partitionOf(this.#info, this.#item)) {
        throw new Error('The partition of an item cannot be changed: create another item, then delete this one.');
      }
    });
    this.problem.textContent = problem;
    this.code.input.ariaInvalid = String(problem !== '');
    this.save.disabled = problem !== '' || (Boolean(this.#item) && this.code.value === this.#was);
  }

  async #store(etag = this.#item?._etag) {
    if (this.save.hidden || this.save.disabled) return;
    this.save.disabled = true;
    const text = this.code.value;
    const headers = { 'Content-Type': 'application/json' };
    try {
      const item = !etag ? await this.#app.api.json('POST', this.#path, { body: text, headers })
        : await this.#app.api.json('PUT', this.#path, {
          query: { id: write(this.#item.id) }, body: text, headers: { ...headers, 'If-Match': `"${etag}"` },
        });
      this.#changed = true;
      toast('Saved.');
      this.#show(item._ts ? item : { ...parse(text), _etag: item._etag, _ts: Date.now() / 1000 }); // without READ there is only a receipt
    } catch (failure) {
      this.save.disabled = false;
      if (failure.status === 412 || failure.status === 404) await this.#conflicting();
      else this.problem.textContent = failure.message;
    }
  }

  /** The text in the layout of what is stored, so that only real differences show. */
  #mine() {
    try {
      return lines(parse(this.code.value));
    } catch {
      return this.code.value;
    }
  }

  /** Somebody was faster: shows what is stored now. */
  async #conflicting() {
    let now = null;
    try {
      now = await this.#app.api.get(this.#path, query(this.#info, this.#item));
    } catch (failure) {
      if (failure.status !== 404) {
        this.problem.textContent = failure.message;
        return;
      }
    }
    showConflict(this.conflict, {
      title: now ? 'Somebody else has changed this item.' : 'Somebody else has deleted this item.',
      stored: now ? lines(body(now)) : undefined, mine: this.#mine(),
      take: [now ? 'Discard my text' : 'Close', () => (now ? this.#show(now) : this.dialog.close())],
      overwrite: [now ? 'Overwrite' : 'Create again', () => {
        this.#was = null;
        this.#check();
        if (!now) this.#item = null;
        this.#store(now?._etag ?? null);
      }],
    });
  }

  async #delete() {
    if (!(await ask('Delete this item?', this.#item.id, 'Delete'))) return;
    try {
      await this.#app.api.send('DELETE', this.#path, {
        query: query(this.#info, this.#item), headers: { 'If-Match': `"${this.#item._etag}"` },
      });
      this.#changed = true;
      toast('Deleted.');
      this.dialog.close();
    } catch (failure) {
      if (failure.status === 412 || failure.status === 404) await this.#conflicting();
      else this.problem.textContent = failure.message;
    }
  }
}
