// The page: where one is (in the address), who one is, what is allowed, and the keys.
import { Api, Problem } from './api.js';
import { DataView } from './data.js';
import { $, h, toast } from './dom.js';
import { keyField } from './jump.js';
import { parse, write } from './json.js';
import { filtered, INTERNAL, partOf, startsWith, typed } from './keys.js';
import { Stream } from './stream.js';

/** The views; all but the first are loaded when they are first shown. */
const VIEWS = {
  data: async () => DataView,
  collections: async () => (await import('./collections.js')).CollectionsView,
  query: async () => (await import('./query.js')).QueryView,
  live: async () => (await import('./live.js')).LiveView,
  queues: async () => (await import('./queues.js')).QueuesView,
  stats: async () => (await import('./stats.js')).StatsView,
  transfer: async () => (await import('./transfer.js')).TransferView,
};

class App {
  api = new Api();
  stream = new Stream(this.api);
  state = { view: 'data', database: '', prefix: [], key: null, filter: '' };
  canEdit = false;
  roots = [];
  #views = {};
  #info = null;
  #hash = null;
  isAdmin = false;

  /** The address of a place; what is not said stays as it is. */
  href(patch) {
    const { view, database, prefix, key, filter } = { ...this.state, ...('prefix' in patch ? { filter: '' } : {}), ...patch };
    const hash = new URLSearchParams();
    if (database) hash.set('db', database);
    if (view !== 'data') hash.set('view', view);
    if (prefix.length) hash.set('prefix', write(prefix));
    if (filter) hash.set('filter', filter);
    if (key) hash.set('key', write(key));
    return '#' + hash;
  }

  /** Goes there. */
  async go(patch) {
    const href = this.href(patch);
    if (href !== (location.hash || '#')) history.pushState(null, '', href);
    await this.route();
  }

  /** Opens the view of queries on a collection. */
  query(collection) {
    this.asked = collection;
    return this.go({ view: 'query' });
  }

  /** Shows what the address says, unless something unsaved would be lost. */
  async route() {
    if (this.#hash !== null && location.hash !== this.#hash && !(await this.#views.data.mayLeave())) {
      history.pushState(null, '', this.#hash || '#');
      return;
    }
    const hash = new URLSearchParams(location.hash.slice(1));
    const json = name => {
      try {
        return hash.get(name) ? parse(hash.get(name)) : null;
      } catch {
        return null;
      }
    };
    const view = hash.get('view');
    const prefix = json('prefix');
    this.state = {
      database: hash.get('db') ?? '', view: view in VIEWS ? view : 'data',
      prefix: Array.isArray(prefix) ? prefix : [], key: json('key'), filter: hash.get('filter') ?? '',
    };
    this.#clamp();
    this.#hash = location.hash;
    if (this.#info) await this.#draw();
  }

  async #draw() {
    const { database, view } = this.state;
    if (database !== this.api.database) {
      this.stream.close();
      this.api.database = database;
      await this.#enter();
      return;
    }
    for (const tab of $('tabs').children) {
      const lacks = this.#lacks(tab.dataset.view);
      tab.ariaCurrent = tab.dataset.view === view ? 'page' : null;
      tab.ariaDisabled = lacks ? 'true' : null;
      tab.title = lacks;
      if (lacks) tab.removeAttribute('href');
      else tab.href = this.href({ view: tab.dataset.view });
    }
    const lacks = this.#lacks(view);
    $('denied').hidden = !lacks;
    $('denied').textContent = lacks;
    try {
      if (!lacks) await this.#load(view);
      if (view !== this.state.view) return; // one went elsewhere meanwhile
      for (const [name, one] of Object.entries(this.#views)) {
        if (name !== view && !one.element.hidden) one.hide?.();
        one.element.hidden = name !== view || Boolean(lacks);
      }
      if (!lacks) await this.#views[view].show(this.state);
    } catch (failure) {
      this.fail(failure);
    }
  }

  async #load(name) {
    if (this.#views[name]) return;
    const View = await VIEWS[name]();
    if (this.#views[name]) return;
    const view = (this.#views[name] = new View(this));
    view.element.hidden = true;
    $('main').append(view.element);
  }

  /** Says which rights a view needs that the token lacks; empty if it has them. */
  #lacks(view) {
    const { access, prefixes = [] } = this.#info.grant ?? {};
    const may = right => !access || access.includes(right);
    const internal = !prefixes.length || prefixes.some(prefix => startsWith(INTERNAL, prefix));
    switch (view) {
      case 'collections': case 'query':
        return may('READ') && internal ? '' : 'Collections need a token with READ access that is not limited to other keys.';
      case 'queues': case 'stats':
        return may('READ') && !prefixes.length ? '' : 'This view needs a token with READ access to all keys.';
      case 'transfer':
        return may('READ') || (may('WRITE') && !prefixes.length) ? '' : 'Exports need READ access, imports WRITE access to all keys.';
      default: return may('READ') ? '' : 'This view needs a token with READ access.';
    }
  }

  /** A token with prefixes has nothing above them: the place is at one of them or below. */
  #clamp() {
    const { prefix } = this.state;
    if (!this.roots.length || this.roots.some(root => startsWith(prefix, root))) return;
    history.replaceState(null, '', this.href({ prefix: this.roots[0], key: null }));
    Object.assign(this.state, { prefix: this.roots[0], key: null, filter: '' });
  }

  /** Says what went wrong; the connection's own troubles have a banner. */
  fail(failure) {
    if (failure.name === 'AbortError' || ['AWAY', 'GOING_AWAY', 'STARTING', 'UNAUTHENTICATED'].includes(failure.code)) return;
    if (!(failure instanceof Problem)) console.error(failure); // a defect of this page
    toast(failure.message + (failure.requestId ? ` (request ${failure.requestId})` : ''), true);
  }

  focusTree() {
    this.#views.data.tree.focus();
  }

  /** Takes the token of a link that signs in, #token=…, and removes it from the address. */
  #takeToken() {
    const hash = new URLSearchParams(location.hash.slice(1));
    const token = hash.get('token');
    if (!token) return;
    this.api.token = token;
    hash.delete('token');
    history.replaceState(null, '', '#' + hash);
  }

  async #enter() {
    this.#info = null;
    try {
      this.#info = await this.api.get('info');
    } catch (failure) {
      if (failure.status && failure.status !== 401) this.#banner(failure.message);
      return;
    } finally {
      document.documentElement.classList.remove('booting');
    }
    $('login').close();
    this.#banner(null);
    const { grant = {} } = this.#info;
    this.roots = grant.prefixes ?? []; // the only keys that this token reaches, when there are any
    this.#clamp();
    this.#hash = location.hash;
    this.canWrite = !grant.access || grant.access.includes('WRITE');
    this.isAdmin = !grant.access || grant.access.includes('ADMIN');
    $('edits').disabled = !this.canWrite;
    $('edits-label').title = this.canWrite ? 'Nothing can be changed unless this is on' : 'This token cannot write';
    if (!this.canWrite) this.#edits(false);
    $('leave').hidden = !this.api.token;
    await this.#databases();
    await this.#draw();
  }

  async #databases() {
    const current = this.state.database || 'default';
    let names = [current];
    try {
      const all = await this.api.get('databases');
      names = [...new Set([...(all.databases ?? []).map(one => one.name ?? one), current])];
    } catch (failure) {
      if (failure.status !== 403 && failure.status !== 404) this.fail(failure);
    }
    $('database').replaceChildren(...names.map(name => h('option', { value: name }, name)));
    $('database').value = current;
  }

  #edits(on) {
    this.canEdit = on && this.canWrite;
    $('edits').checked = this.canEdit;
    document.body.classList.toggle('editing', this.canEdit);
    for (const view of Object.values(this.#views)) view.allow?.();
  }

  #banner(text) {
    $('banner').hidden = !text;
    $('banner').textContent = text ?? '';
  }

  #connection({ was, text }) {
    const { state } = this.api;
    $('connection').className = state;
    $('connection').textContent = { ok: 'connected', denied: 'no access', away: 'away', draining: 'waiting' }[state];
    if (state === 'denied') {
      const had = this.api.token;
      this.api.token = null;
      $('login-error').textContent = had ? `The server does not take this token: ${text}.` : '';
      if (!$('login').open) $('login').showModal();
      $('token').select();
    } else if (state === 'away') this.#banner('The server cannot be reached. Trying again …');
    else if (state === 'draining') this.#banner('The server is being stopped or started. Waiting for it to come back …');
    else {
      this.#banner(null);
      if (was === 'denied' || was === 'unknown') return;
      if (this.#info) this.#views[this.state.view]?.refresh?.();
      else this.#enter();
    }
  }

  async #jump(key) {
    this.jump.input.blur();
    this.jump.set([]);
    try {
      await this.api.get('entry', { key });
      await this.go({ view: 'data', prefix: key.slice(0, -1), key });
    } catch (failure) {
      if (failure.code !== 'NO_SUCH_KEY') return this.fail(failure);
      await this.go({ view: 'data', ...(await this.#beginsWith(key)), key: null });
    }
    if (document.activeElement === document.body) this.#views.data.table.focus(); // unless one is elsewhere already
  }

  /** Returns the place for what is no key: below it, or the keys that begin with its last part. */
  async #beginsWith(key) {
    const begin = key.at(-1), prefix = key.slice(0, -1);
    if (typeof begin === 'string' && begin && !begin.includes('..')) {
      const below = { prefix: key, limit: 1, keysOnly: true };
      const filter = partOf(typed(begin)[0] ?? {}) === begin ? begin : write(begin);
      const like = { limit: 1, keysOnly: true, start: key, ...filtered(prefix, filter) };
      try {
        if (!(await this.api.get('entries', below)).entries.length
          && (await this.api.get('entries', like)).entries.length) return { prefix, filter };
      } catch (failure) {
        if (failure.status !== 403) throw failure;
      }
    }
    return { prefix: key };
  }

  #keyDown(event) {
    const { data } = this.#views;
    const inData = this.state.view === 'data';
    if (document.querySelector('dialog[open]')) return;
    if ((event.ctrlKey || event.metaKey) && event.key === 's') {
      event.preventDefault();
      if (inData) data.editor?.store();
      return;
    }
    const typing = event.target.matches('input:not([type=checkbox]), textarea, select')
      && event.target.checkVisibility(); // a field that was hidden keeps the focus until the next frame
    if (event.key === 'Escape') {
      if (typing) event.target.blur();
      else if (inData && data.editor?.isOpen) data.editor.close();
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = {
      '/': () => this.jump.input.focus(), '?': () => $('help').showModal(),
      r: () => this.#views[this.state.view]?.refresh?.(),
      t: () => inData && data.tree.focus(), l: () => inData && data.table.focus(),
      f: () => inData && data.filter.focus(),
      e: () => inData && data.edit(), n: () => inData && data.create(),
    }[event.key] ?? (Object.keys(VIEWS)[event.key - 1] && (() => this.go({ view: Object.keys(VIEWS)[event.key - 1] })));
    if (!action) return;
    event.preventDefault();
    action();
  }

  #theme(name) {
    const root = document.documentElement;
    if (name) localStorage.setItem('kv-theme', root.dataset.theme = name);
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    const title = dark ? 'Light colours' : 'Dark colours';
    Object.assign($('theme'), { textContent: dark ? '☀' : '☾', title, ariaLabel: title });
    return dark;
  }

  async start() {
    const theme = localStorage.getItem('kv-theme');
    if (theme) document.documentElement.dataset.theme = theme;
    this.#theme();
    matchMedia('(prefers-color-scheme: dark)').onchange = () => this.#theme();
    $('theme').onclick = () => this.#theme(this.#theme() ? 'light' : 'dark');
    this.jump = keyField({ label: 'Jump to a key or prefix', placeholder: 'Jump to users/ada   ( / )', app: this, onenter: key => this.#jump(key) });
    $('jump').append(this.jump.element);
    await this.#load('data');
    $('edits').onchange = () => this.#edits($('edits').checked);
    $('database').onchange = event => {
      const name = event.target.value;
      this.go({ database: name === 'default' ? '' : name, prefix: [], key: null });
    };
    $('help-open').onclick = () => $('help').showModal();
    $('leave').onclick = () => {
      this.api.token = null;
      location.reload();
    };
    $('login').oncancel = event => event.preventDefault();
    $('login-form').onsubmit = event => {
      event.preventDefault();
      this.api.token = $('token').value.trim();
      $('token').value = '';
      this.#enter();
    };
    this.api.addEventListener('state', event => this.#connection(event.detail));
    addEventListener('unhandledrejection', event => {
      event.preventDefault();
      this.fail(event.reason);
    });
    addEventListener('popstate', () => this.route());
    addEventListener('keydown', event => this.#keyDown(event));
    addEventListener('beforeunload', event => this.#views.data.editor?.dirty && event.preventDefault());
    this.#takeToken();
    await this.route();
    this.api.database = this.state.database;
    await this.#enter();
  }
}

new App().start();
