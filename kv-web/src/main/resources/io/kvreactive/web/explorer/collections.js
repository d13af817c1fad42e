// Collections: their definitions, how far their indexes are, and what these take.
import { codeField } from './code.js';
import { definitionForm } from './definition.js';
import { ask, count, duration, h, Polled, size, toast } from './dom.js';
import { definitionOf, pathOf } from './item.js';
import { Items } from './items.js';
import { lines, parse, problemOf, toNumber } from './json.js';
import { indexName } from './plan.js';

const WORDS = { BUILDING: 'is being built', DROPPING: 'is being removed', FAILED: 'has failed' };
const NEW = {
  indexingPolicy: {
    indexingMode: 'consistent', automatic: true,
    includedPaths: [{ path: '/*' }], excludedPaths: [], compositeIndexes: [],
  },
};

export class CollectionsView extends Polled {
  #info = null; // null for a new one
  #saved = '';

  constructor(app) {
    super(app, 'collections', 1000);
    this.list = h('ul.names', { 'aria-label': 'Collections' });
    this.add = h('button', { onclick: () => this.#open(null) }, '+ New collection');
    this.name = h('input', { type: 'text', placeholder: 'name', autocomplete: 'off', 'aria-label': 'Name', oninput: () => this.#check() });
    this.title = h('h2');
    this.bar = h('progress', { max: 100, 'aria-label': 'Indexes' });
    this.state = h('p.dim', { role: 'status' });
    this.jobs = h('ul.jobs');
    this.code = codeField({ label: 'Definition as JSON', language: () => 'json', rows: 15, oninput: () => this.#check() });
    this.text = this.code.input;
    this.form = definitionForm(change => this.#change(change));
    this.problem = h('p.error', { role: 'alert' });
    this.save = h('button.main', { onclick: () => this.#save() }, 'Save');
    this.revert = h('button', { onclick: () => this.#open(this.#info) }, 'Revert');
    this.drop = h('button.danger', { onclick: () => this.#drop() }, 'Drop …');
    this.ask = h('button', { onclick: () => this.app.query(this.#info.name) }, 'Query');
    this.measure = h('button', { onclick: () => this.#measure() }, 'Count sizes');
    this.sizes = h('table.sizes', { hidden: true, 'aria-label': 'Sizes' });
    this.locked = h('p.dim', null, 'To change definitions, switch “Allow edits” on; the token needs ADMIN access.');
    this.empty = h('p.empty', { hidden: true }, 'There are no collections yet. A collection keeps JSON documents, with indexes that are declared.');
    this.items = new Items(app);
    this.parts = ['Items', 'Definition'].map(part => h('button', { onclick: () => this.#part(part) }, part));
    this.define = h('div.define', null, this.bar, this.state, this.jobs,
      h('div.definition-parts', null, this.form.element, h('div.definition-json', null, h('div.bar', null, h('span.gap'), this.code.foldAll), this.code.element)), this.problem,
      h('div.buttons', null, this.save, this.revert), this.locked, this.measure, this.sizes);
    this.detail = h('section.card.definition', { hidden: true },
      h('div.bar', null, this.title, this.name, h('div.parts', { role: 'group', 'aria-label': 'Part' }, this.parts),
        h('span.gap'), this.ask, this.drop),
      this.define, this.items.element);
    this.element = h('div.view.collections', null,
      h('aside.card', null, this.list, this.add), h('div.wide-part', null, this.empty, this.detail));
  }

  async show() {
    this.allow();
    await super.show();
  }

  allow() {
    const can = this.app.canEdit;
    for (const each of [this.add, this.save, this.revert, this.drop]) each.hidden = !can;
    this.text.readOnly = !can;
    this.locked.hidden = can;
    this.items.allow();
    this.#check();
  }

  /** Shows the items or the definition. */
  #part(part) {
    const isItems = part === 'Items' && Boolean(this.#info);
    for (const button of this.parts) {
      button.ariaPressed = String((button.textContent === 'Items') === isItems);
      button.hidden = !this.#info;
    }
    this.items.element.hidden = !isItems;
    this.define.hidden = isItems;
    if (isItems) this.items.show(this.#info);
    else this.items.clear();
  }

  draw({ collections: all }) {
    this.empty.hidden = all.length > 0 || !this.detail.hidden;
    this.list.replaceChildren(...all.map(info => {
      const percent = toNumber(info.indexTransformationProgress);
      return h('li', null, h('button.plain', {
        onclick: () => this.#leave(() => this.#open(info, 'Items')), 'aria-current': info.name === this.#info?.name ? 'true' : null,
      }, h('span', null, info.name), percent < 100 && h('small.type', null, `${percent} %`)));
    }));
    const now = all.find(info => info.name === this.#info?.name);
    if (now) {
      const untouched = this.code.value === this.#saved;
      this.#info = now;
      if (untouched && now.policyVersion.rawJSON !== this.version) this.#open(now, this.define.hidden ? 'Items' : 'Definition');
      else this.#progress(now);
    } else if (this.detail.hidden && all.length) this.#open(all[0], 'Items');
  }

  async #leave(then) {
    const dirty = !this.detail.hidden && this.code.value !== this.#saved;
    if (!dirty || (await ask('Discard changes?', this.#info?.name ?? 'a new collection', 'Discard'))) then();
  }

  #open(info, part = 'Definition') {
    this.#info = info;
    this.version = info?.policyVersion.rawJSON;
    this.detail.hidden = false;
    this.empty.hidden = true;
    this.name.hidden = Boolean(info);
    this.title.textContent = info?.name ?? 'New collection';
    this.#saved = lines(info ? definitionOf(info) : NEW);
    this.code.set(this.#saved);
    for (const each of [this.ask, this.measure]) each.hidden = !info;
    this.sizes.hidden = true;
    this.problem.textContent = '';
    for (const button of this.list.querySelectorAll('button')) {
      button.ariaCurrent = button.firstChild.textContent === info?.name ? 'true' : null;
    }
    this.#progress(info);
    this.allow();
    this.#part(part);
    this.drop.hidden ||= !info;
    if (!info) this.name.focus();
  }

  #progress(info) {
    const jobs = info?.indexTransformation ?? [];
    const percent = info ? toNumber(info.indexTransformationProgress) : 100;
    this.bar.hidden = percent >= 100;
    this.bar.value = percent;
    this.state.textContent = !info ? '' : percent < 100
      ? `Changing the indexes: ${percent} %. Reads and writes go on.`
      : `Definition ${info.policyVersion.rawJSON}; all indexes are complete.`;
    this.jobs.replaceChildren(...jobs.map(job => h('li', null,
      indexName(job), ` ${WORDS[job.state] ?? job.state.toLowerCase()}`, toNumber(job.total) > 0 && `: ${count(toNumber(job.done))} of ${count(toNumber(job.total))}`,
      job.etaSeconds != null && `, about ${duration(toNumber(job.etaSeconds) * 1000)} left`,
      job.error && h('span.error', null, ' ' + job.error))));
  }

  /** Changes the JSON as the form says. */
  #change(change) {
    let definition;
    try {
      definition = parse(this.code.value || '{}');
      change(definition);
    } catch {
      return this.#check(); // the JSON has to be repaired first
    }
    this.code.set(lines(definition));
    this.#check();
  }

  #check() {
    const wrong = problemOf(() => {
      const definition = parse(this.code.value || '{}');
      try {
        this.form.show(definition, { isNew: !this.#info, can: this.app.canEdit });
      } catch {
        // the server says what of it is no definition
      }
    });
    this.problem.textContent = wrong;
    this.text.ariaInvalid = String(Boolean(wrong));
    this.save.disabled = Boolean(wrong) || (this.#info ? this.code.value === this.#saved : !this.name.value.trim());
    this.revert.disabled = this.code.value === this.#saved;
  }

  async #save() {
    const name = this.#info?.name ?? this.name.value.trim();
    try {
      const info = await this.app.api.json('PUT', pathOf(name), { json: parse(this.code.value) });
      toast(this.#info ? 'Saved; the indexes are being changed.' : 'Created.');
      this.name.value = '';
      this.#open(info);
      await this.refresh();
    } catch (failure) {
      this.problem.textContent = failure.message;
    }
  }

  async #drop() {
    const { name } = this.#info;
    if (!(await ask('Drop the collection and all of its items?', name, 'Drop'))) return;
    try {
      await this.app.api.send('DELETE', pathOf(name));
    } catch (failure) {
      return this.app.fail(failure);
    }
    toast(`${name} is gone.`);
    this.detail.hidden = true;
    this.#info = null;
    await this.refresh();
  }

  async #measure() {
    this.measure.disabled = true;
    try {
      const { sizes } = await this.app.api.get(pathOf(this.#info.name), { sizes: true });
      const row = (what, entries, bytes) => h('tr', null, h('th', { scope: 'row' }, what),
        h('td', null, entries === '' ? '' : count(toNumber(entries))), h('td', null, size(toNumber(bytes))));
      this.sizes.replaceChildren(
        h('thead', null, h('tr', null, ['', 'Entries', 'Size'].map(text => h('th', null, text)))),
        h('tbody', null, row('items', sizes.items, sizes.dataBytes),
          sizes.indexes.map(one => row(indexName(one), one.entries, one.bytes)),
          row('all indexes', '', sizes.indexBytes),
          toNumber(sizes.reclaimableBytes) > 0 && row('being removed', '', sizes.reclaimableBytes)));
      this.sizes.hidden = false;
    } catch (failure) {
      this.app.fail(failure);
    } finally {
      this.measure.disabled = false;
    }
  }
}
