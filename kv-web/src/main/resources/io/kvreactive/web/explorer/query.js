// Queries: a text, its parameters, rows page by page, and how they were found.
import { definitionOf, pathOf } from './collections.js';
import { count, duration, h, plural, toast } from './dom.js';
import { kind, lines, parse, preview, toNumber } from './json.js';

const PAGE = 100;
const PICTURES = { map: () => import('./map.js'), vectors: () => import('./vectors.js') };

export class QueryView {
  #app;
  #continuation = null;
  #rows = [];
  #asked = null;
  #running = null;

  constructor(app) {
    this.#app = app;
    this.collection = h('select', { 'aria-label': 'Collection' });
    this.text = h('textarea', { rows: 5, value: 'SELECT * FROM c', 'aria-label': 'Query', oninput: () => this.#wrong() });
    this.parameters = h('input', { type: 'text', autocomplete: 'off', placeholder: '{"@age": 30}', 'aria-label': 'Parameters as JSON' });
    this.run = h('button.main', { onclick: () => this.#run(), title: 'Ctrl+Enter' }, 'Run');
    this.explain = h('button', { onclick: () => this.#explain(), title: 'Ctrl+Shift+Enter' }, 'Explain');
    this.form = h('select', { 'aria-label': 'Show rows as', onchange: () => this.#draw() }, ['Table', 'JSON', 'Map', 'Vectors'].map(form => h('option', { value: form.toLowerCase() }, form)));
    this.problem = h('div.query-problem', { role: 'alert', hidden: true });
    this.note = h('p.dim', { role: 'status' });
    this.plan = h('div.card', { hidden: true });
    this.result = h('div.scroll.card', { hidden: true });
    this.more = h('button', { hidden: true, onclick: () => this.#page() }, 'More rows');
    this.element = h('div.view.query', { onkeydown: event => this.#key(event) },
      h('div.card.ask-query', null,
        h('div.bar', null, this.collection, h('span.gap'), this.form, this.explain, this.run),
        this.text, this.problem,
        h('label', null, h('span.dim', null, 'Parameters'), this.parameters)),
      this.plan, this.note, this.result, this.more);
  }

  async show() {
    const { collections } = await this.#app.api.get('collections');
    const chosen = this.#app.asked ?? this.collection.value;
    this.#app.asked = null;
    this.collection.replaceChildren(...collections.map(one => h('option', { value: one.name }, one.name)));
    if (collections.some(one => one.name === chosen)) this.collection.value = chosen;
    this.run.disabled = this.explain.disabled = !collections.length;
    if (!collections.length) this.note.textContent = 'There are no collections to ask.';
    this.text.focus();
  }

  #key(event) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (event.shiftKey) this.#explain();
    else this.#run();
  }

  #body(extra) {
    const given = this.parameters.value.trim() ? parse(this.parameters.value) : {};
    if (kind(given) !== 'object') throw new Error('the parameters (expected: an object, such as {"@age": 30})');
    const parameters = Object.entries(given).map(([name, value]) => ({ name: name.startsWith('@') ? name : '@' + name, value }));
    return { query: this.text.value, parameters, ...extra };
  }

  #ask(json, signal) {
    const path = pathOf(this.collection.value) + '/query';
    return this.#app.api.json('POST', path, { json, signal });
  }

  async #run() {
    this.#wrong();
    this.plan.hidden = true;
    try {
      this.#asked = this.#body({ maxItemCount: PAGE });
    } catch (failure) {
      return this.#wrong(failure);
    }
    this.#rows = [];
    this.#continuation = null;
    await this.#page();
  }

  async #page() {
    this.#running?.abort();
    const { signal } = (this.#running = new AbortController());
    this.result.ariaBusy = 'true';
    try {
      const page = await this.#ask({ ...this.#asked, continuation: this.#continuation }, signal);
      this.#rows.push(...page.items);
      this.#continuation = page.continuation;
      const { totalMs, retrievedItems, entriesRead } = page.metrics;
      this.note.textContent = `${plural(this.#rows.length, 'row')}${page.continuation ? ' so far' : ''}, `
        + `${duration(toNumber(totalMs))}; ${count(toNumber(entriesRead))} index entries and ${count(toNumber(retrievedItems))} items read`;
      this.#draw();
    } catch (failure) {
      this.#wrong(failure);
    } finally {
      this.result.ariaBusy = null;
    }
  }

  /** Says what is wrong, and marks the place. */
  #wrong(failure) {
    if (failure?.name === 'AbortError') return;
    this.problem.hidden = !failure;
    this.text.ariaInvalid = String(Boolean(failure));
    if (!failure) return;
    this.result.hidden = this.more.hidden = this.plan.hidden = true;
    this.note.textContent = '';
    const error = failure.errors?.[0];
    this.problem.replaceChildren(h('p.error', null, failure.message));
    if (!error) return;
    const start = toNumber(error.location.start), end = Math.max(toNumber(error.location.end), start + 1);
    const text = this.text.value + ' ';
    this.problem.append(h('pre', null, text.slice(0, start), h('mark', null, text.slice(start, end)), text.slice(end)));
    this.text.focus();
    this.text.setSelectionRange(start, Math.min(end, this.text.value.length));
  }

  #draw() {
    this.result.hidden = false;
    this.more.hidden = !this.#continuation;
    const rows = this.#rows;
    if (!rows.length) return this.result.replaceChildren(h('p.empty', null, 'No rows.'));
    const picture = PICTURES[this.form.value];
    if (picture) return picture().then(one => picture === PICTURES[this.form.value] && this.result.replaceChildren(one.of(rows, this.#asked)));
    if (this.form.value === 'json' || !rows.every(row => kind(row) === 'object')) {
      return this.result.replaceChildren(h('pre.rows', null, rows.map(row => lines(row)).join('\n')));
    }
    const names = [...new Set(rows.flatMap(Object.keys))].sort((a, b) => a.startsWith('_') - b.startsWith('_'));
    const table = h('table.rows', { 'aria-label': 'Rows' },
      h('thead', null, h('tr', null, names.map(name => h('th', { scope: 'col' }, name)))),
      h('tbody', null, rows.map(row => h('tr', null, names.map(name =>
        name in row ? h('td', { title: preview(row[name], 1000) }, h('span', { className: 'k-' + kind(row[name]) }, typeof row[name] === 'string' ? row[name].slice(0, 200) : preview(row[name], 120))) : h('td.dim', null, ''))))));
    this.result.replaceChildren(table);
    const { query } = this.#asked;
    if (/VectorDistance/i.test(query)) PICTURES.vectors().then(one => one.showScores(table, rows, query));
  }

  async #explain() {
    this.#wrong();
    try {
      const explained = await this.#ask(this.#body({ explain: 'only' }));
      const { planOf } = await import('./plan.js');
      this.plan.replaceChildren(planOf(explained, { canAdd: this.#app.canEdit, add: composite => this.#add(composite) }));
      this.plan.hidden = false;
    } catch (failure) {
      this.#wrong(failure);
    }
  }

  async #add(composite) {
    const path = pathOf(this.collection.value);
    try {
      const definition = definitionOf(await this.#app.api.get(path));
      (definition.indexingPolicy.compositeIndexes ??= []).push(composite);
      await this.#app.api.json('PUT', path, { json: definition });
      toast('Added; the index is being built.');
    } catch (failure) {
      this.#app.fail(failure);
    }
  }
}
