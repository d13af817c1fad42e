// Queries: a text, its parameters, rows page by page, and how they were found.
import { candidates, history, members, remember, SAMPLE } from './assist.js';
import { codeField, markPlace } from './code.js';
import { count, duration, fill, h, plural, size, toast } from './dom.js';
import { openItem, pathOf } from './item.js';
import { kind, parse, toNumber, write } from './json.js';
import { addAndFollow, missing, planOf } from './plan.js';
import { Rows, save } from './rows.js';
import { suggest } from './suggest.js';

const SIZES = [20, 100, 500, 1000];
const SAVED_PAGE = 5000; // rows

export class QueryView {
  #app;
  #continuation = null;
  #asked = null;
  #running = null;
  #infos = [];
  #paths = new Map(); // collection -> names of members
  #building = 0;
  #failure = null;

  constructor(app) {
    this.#app = app;
    this.collection = h('select', { 'aria-label': 'Collection', onchange: () => this.#sample() });
    this.code = codeField({ label: 'Query', language: () => 'sql', rows: 5, oninput: () => this.#wrong() });
    this.text = this.code.input;
    this.code.set('SELECT * FROM c');
    this.parameters = h('input', { type: 'text', autocomplete: 'off', placeholder: '{"@age": 30}', 'aria-label': 'Parameters as JSON' });
    this.run = h('button.main', { onclick: () => this.#run(), title: 'Ctrl+Enter' }, 'Run');
    this.cancel = h('button', { hidden: true, onclick: () => this.#running?.abort() }, 'Cancel');
    this.explain = h('button', { onclick: () => this.#explain(), title: 'Ctrl+Shift+Enter' }, 'Explain');
    this.size = h('select', { 'aria-label': 'Rows a page' }, SIZES.map(n => h('option', { value: n, selected: n === 100 }, `${n} rows`)));
    this.form = h('select', { 'aria-label': 'Show rows as', onchange: () => this.rows.as(this.form.value) }, ['Table', 'JSON', 'Map', 'Vectors'].map(form => h('option', { value: form.toLowerCase() }, form)));
    this.past = h('select', { 'aria-label': 'History', onchange: () => this.#recall() });
    this.save = h('select', { 'aria-label': 'Save all rows', hidden: true, onchange: () => this.#save() },
      [['', 'Save …'], ['csv', 'as CSV'], ['json', 'as JSON']].map(([value, label]) => h('option', { value }, label)));
    this.problem = h('div.query-problem', { role: 'alert', hidden: true });
    this.note = h('p.dim', { role: 'status' });
    this.plan = h('div.card', { hidden: true });
    this.rows = new Rows(row => this.#open(row), () => this.#info(this.#asked?.collection));
    this.more = h('button', { hidden: true, onclick: () => this.#page() }, 'More rows');
    this.element = h('div.view.query', { onkeydown: event => this.#key(event) },
      h('div.card.ask-query', null,
        h('div.bar', null, this.collection, this.past, h('span.gap'), this.size, this.form, this.explain, this.cancel, this.run),
        this.code.element, this.problem,
        h('label', null, h('span.dim', null, 'Parameters'), this.parameters)),
      this.plan, h('div.bar', null, this.note, h('span.gap'), this.save), this.rows.element, this.more);
    suggest(this.text, { candidates: (text, caret) => candidates(text, caret, this.#paths.get(this.collection.value) ?? []), place: () => this.code.caret() });
  }

  async show() {
    const { collections } = await this.#app.api.get('collections');
    this.#infos = collections;
    const chosen = this.#app.asked ?? this.collection.value;
    this.#app.asked = null;
    this.collection.replaceChildren(...collections.map(one => h('option', { value: one.name }, one.name)));
    if (collections.some(one => one.name === chosen)) this.collection.value = chosen;
    this.run.disabled = this.explain.disabled = !collections.length;
    if (!collections.length) {
      fill(this.note, 'There are no collections yet. ', h('a', { href: this.#app.href({ view: 'collections' }) }, 'Create one'));
    } else if (this.note.querySelector('a')) this.note.textContent = '';
    this.#remember();
    this.#sample();
    this.text.focus();
  }

  allow() {
    if (this.#failure) this.#wrong(this.#failure);
  }

  hide() {
    this.#building++; // nobody looks at the progress any more
  }

  #info = (name = this.collection.value) => this.#infos.find(one => one.name === name);

  #key(event) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (event.shiftKey) this.#explain();
    else this.#run();
  }

  /** Members of some items, for completions. */
  async #sample() {
    const { value } = this.collection;
    if (!value || this.#paths.has(value)) return;
    this.#paths.set(value, []);
    try {
      const { items } = await this.#app.api.json('POST', pathOf(value) + '/query', { json: { query: `SELECT TOP ${SAMPLE} * FROM c` } });
      this.#paths.set(value, members(items));
    } catch {
      this.#paths.delete(value); // asked again the next time
    }
  }

  #remember(asked) {
    const all = asked ? remember(asked) : history();
    this.past.replaceChildren(h('option', { value: '' }, 'History'),
      ...all.map((one, i) => h('option', { value: i }, one.query.replace(/\s+/g, ' ').slice(0, 90))));
    this.past.disabled = !all.length;
  }

  #recall() {
    const one = history()[this.past.value];
    this.past.value = '';
    if (!one) return;
    if (this.#infos.some(info => info.name === one.collection)) this.collection.value = one.collection;
    this.code.set(one.query);
    this.parameters.value = one.parameters ?? '';
    this.text.focus();
  }

  #body(extra) {
    const given = this.parameters.value.trim() ? parse(this.parameters.value) : {};
    if (kind(given) !== 'object') throw new Error('the parameters (expected: an object, such as {"@age": 30})');
    const parameters = Object.entries(given).map(([name, value]) => ({ name: name.startsWith('@') ? name : '@' + name, value }));
    return { query: this.text.value, parameters, ...extra };
  }

  #ask(json, signal) {
    return this.#app.api.json('POST', pathOf(this.#asked?.collection ?? this.collection.value) + '/query', { json, signal });
  }

  async #run() {
    this.#wrong();
    this.plan.hidden = true;
    try {
      this.#asked = { collection: this.collection.value, body: this.#body({ maxItemCount: Number(this.size.value) }) };
    } catch (failure) {
      return this.#wrong(failure);
    }
    this.#remember({ collection: this.collection.value, query: this.text.value, parameters: this.parameters.value });
    this.rows.clear(this.#asked.body);
    this.#continuation = null;
    await this.#page();
  }

  /** Runs work that can be cancelled. */
  async #cancellable(work) {
    this.#running?.abort();
    const running = (this.#running = new AbortController());
    this.rows.element.ariaBusy = 'true';
    this.cancel.hidden = false;
    this.run.hidden = true;
    try {
      await work(running.signal);
    } catch (failure) {
      if (failure.name === 'AbortError' && this.#running === running) this.note.textContent = 'Cancelled.';
      this.#wrong(failure);
    } finally {
      if (this.#running === running) {
        this.rows.element.ariaBusy = null;
        this.cancel.hidden = true;
        this.run.hidden = false;
      }
    }
  }

  #page() {
    return this.#cancellable(async signal => {
      const first = !this.rows.all.length;
      const page = await this.#ask({ ...this.#asked.body, continuation: this.#continuation, ...(first ? { explain: true } : {}) }, signal);
      this.#continuation = page.continuation;
      this.rows.add(page.items, this.form.value);
      const { totalMs, retrievedItems, entriesRead } = page.metrics;
      this.note.textContent = `${plural(this.rows.all.length, 'row')}${page.continuation ? ' so far' : ''}, `
        + `${duration(toNumber(totalMs))}; ${count(toNumber(entriesRead))} index entries and ${count(toNumber(retrievedItems))} items read`;
      this.more.hidden = !page.continuation;
      this.save.hidden = !this.rows.all.length;
      if (first && page.plan) this.#showPlan(page, false);
    });
  }

  /** Saves all rows as a file, those too that are not shown yet. */
  async #save() {
    const format = this.save.value;
    this.save.value = '';
    if (!format) return;
    const shown = this.note.textContent;
    await this.#cancellable(async signal => {
      const { all, more } = await this.rows.complete(this.#continuation,
        continuation => this.#ask({ ...this.#asked.body, maxItemCount: SAVED_PAGE, continuation }, signal),
        rows => (this.note.textContent = `Reading rows to save: ${count(rows)} …`));
      const bytes = save(all, format, this.#asked.collection);
      toast(`Saved ${plural(all.length, 'row')}, ${size(bytes)}${more ? '; there are more' : ''}.`);
      this.note.textContent = shown;
    });
  }

  async #open(row) {
    const info = this.#info(this.#asked.collection);
    if (info && (await openItem(this.#app, info, row))) await this.#run();
  }

  /** Says what is wrong, and marks the place. */
  #wrong(failure) {
    if (failure?.name === 'AbortError') return;
    this.#failure = failure;
    this.problem.hidden = !failure;
    this.text.ariaInvalid = String(Boolean(failure));
    if (!failure) return;
    this.rows.element.hidden = this.more.hidden = this.plan.hidden = this.save.hidden = true;
    this.note.textContent = '';
    this.problem.replaceChildren(h('p.error', null, failure.message));
    const error = failure.errors?.[0];
    if (!error) return;
    this.problem.append(markPlace(this.text, error.location));
    const explained = !this.#asked;
    if (error.missingIndex) {
      this.problem.append(missing(error.missingIndex, { canAdd: this.#canAdd, add: (json, button) =>
        this.#add(json, button, () => (explained ? this.#explain() : this.#run())) }));
    }
  }

  get #canAdd() {
    return this.#app.canEdit && this.#app.isAdmin;
  }

  async #explain() {
    this.#wrong();
    this.#asked = null;
    this.rows.element.hidden = this.more.hidden = this.save.hidden = true;
    this.note.textContent = '';
    await this.#cancellable(async signal => {
      this.#showPlan(await this.#ask(this.#body({ explain: 'only' }), signal), true);
    });
  }

  #showPlan(explained, open) {
    const plan = planOf(explained, { canAdd: this.#canAdd, add: (json, button) => this.#add(json, button, () => this.#explain()) });
    fill(this.plan, open ? plan : h('details', null, h('summary', null, 'Plan'), plan));
    this.plan.hidden = false;
  }

  /** Adds an index to the policy, follows its build, and asks again. */
  async #add(index, button, again) {
    const mine = ++this.#building;
    if (!(await addAndFollow(this.#app.api, pathOf(this.collection.value), index, button, () => mine === this.#building))) return;
    toast('The index is complete.');
    await again();
  }
}
