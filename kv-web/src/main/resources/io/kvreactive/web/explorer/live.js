// The log of changes below a prefix, the newest first. Before it come the entries that exist, if they are not too many.
import { count, h, plural, shorter } from './dom.js';
import { toNumber, write } from './json.js';
import { keyField } from './jump.js';
import { keyElements, parts, valueElements } from './keys.js';

const ROWS = 300, LIST_MAX = 2000, RATE_SECONDS = 5;
const WORDS = { set: 'set', delete: 'deleted', expire: 'expired', touch: 'expiry', deleteRange: 'range deleted' };

export class LiveView {
  #app;
  #prefix = null;
  #database = null;
  #stop = null;
  #since = null;
  #paused = false;
  #waiting = []; // changes that are not drawn yet
  #drawn = null;
  #events = 0;
  #seconds = [];
  #timer = 0;

  constructor(app) {
    this.#app = app;
    this.field = keyField({ label: 'Prefix to watch', placeholder: 'all keys', app, onenter: prefix => app.go({ prefix, key: null }) });
    this.field.input.addEventListener('keydown', event => {
      if (event.key === 'Enter' && !this.field.input.value.trim()) app.go({ prefix: [], key: null });
    });
    this.state = h('span.dim', { role: 'status' });
    this.rate = h('strong.rate', null, '0');
    this.total = h('span', null, '0');
    this.pause = h('button', { onclick: () => this.#toggle() }, 'Pause');
    this.body = h('tbody');
    this.element = h('div.view.live', null,
      h('div.bar', null, this.field.element, this.pause,
        h('button', { onclick: () => this.#clear() }, 'Clear'),
        h('span.numbers', null, this.rate, ' changes/s, ', this.total, ' in all')),
      h('p.note', null, this.state),
      h('div.scroll', null, h('table', { 'aria-label': 'Changes' },
        h('thead', null, h('tr', null, h('th.c-time', null, 'When'), h('th.c-what', null, 'What'),
          h('th.c-key', null, 'Key'), h('th.c-value', null, 'Value'), h('th.c-version', null, 'Version'))),
        this.body)));
  }

  async show({ prefix, database }) {
    const same = this.#prefix && write(prefix) === write(this.#prefix) && database === this.#database;
    if (same && (this.#stop || this.#paused)) return;
    this.hide();
    this.#prefix = prefix;
    this.#database = database;
    this.#since = null;
    this.#paused = false;
    this.field.set(prefix);
    this.#clear();
    await this.#start();
  }

  hide() {
    clearInterval(this.#timer);
    this.#stop?.();
    this.#stop = null;
    this.#prefix = null;
  }

  async #start() {
    const prefix = this.#prefix;
    this.pause.textContent = 'Pause';
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), 1000);
    let list = false;
    if (!this.#since) {
      const page = await this.#app.api.get('entries', { prefix, limit: 1 });
      const all = page.cursor ? toNumber((await this.#app.api.get('count', { prefix })).count) : 1;
      list = all <= LIST_MAX;
      this.many = list ? '' : ` ${plural(all, 'entry', 'entries')} are too many to list first.`;
      if (this.#prefix !== prefix) return;
    }
    this.#stop = this.#app.stream.subscribe(
      { op: 'changes', prefix, ...(this.#since ? { since: this.#since } : list ? { list } : {}) },
      frame => this.#receive(frame));
  }

  #toggle() {
    this.#paused = !this.#paused;
    if (!this.#paused) return this.#start();
    this.#stop?.();
    this.#stop = null;
    this.pause.textContent = 'Resume';
    this.state.textContent = 'Paused. Nothing is missed: the changes since then come when you resume.';
  }

  #clear() {
    this.body.replaceChildren();
    this.#events = 0;
    this.#seconds = [];
    this.#tick();
  }

  #receive(frame) {
    if (frame.versionstamp && frame.type !== 'entries') this.#since = frame.versionstamp;
    switch (frame.type) {
      case 'connected':
        this.state.textContent = `Watching.${this.many ?? ''}`;
        return;
      case 'entries':
        return this.#later(frame.entries.map(entry => ({ ...entry, type: 'there' })));
      case 'commit':
        this.#events += frame.changes.length;
        return this.#later(frame.changes.map(change => ({
          ...change, versionstamp: frame.versionstamp, millis: toNumber(frame.millis),
        })));
      case 'lost':
        this.state.textContent = `Not connected (${frame.text}). Trying again …`;
        return;
      case 'error':
        this.#stop = null;
        this.#since = null;
        this.state.textContent = frame.code === 'COMPACTED'
          ? 'Some changes are no longer kept: what there is now comes first.' : frame.detail ?? frame.code;
        if (frame.code === 'COMPACTED') this.#start();
    }
  }

  /** Draws with the next picture; the promise is done then, which is what slows a fast feed down. */
  #later(changes) {
    this.#waiting.push(...changes);
    this.#drawn ??= new Promise(resolve => requestAnimationFrame(() => {
      this.#drawn = null;
      this.#draw(this.#waiting.splice(0));
      resolve();
    }));
    return this.#drawn;
  }

  #draw(changes) {
    for (const change of changes.slice(-ROWS)) {
      this.body.prepend(this.#row(change));
      if (this.body.rows.length > ROWS) this.body.lastChild.remove();
    }
  }

  #row({ type, key, value, versionstamp, millis, prefix, start, end }) {
    const has = value !== undefined;
    const name = key ? (Array.isArray(key) ? key.slice(this.#prefix?.length ?? 0) : [key]) : prefix ? [...parts(prefix), '…'] : [start ?? '', end ?? ''];
    return h(`tr.${type === 'there' ? 'there' : 'flash'}`, key ? { onclick: () => this.#app.go({ view: 'data', prefix: parts(key).slice(0, -1), key }) } : null,
      h('td.c-time', null, millis ? new Date(millis).toLocaleTimeString() : ''),
      h('td.c-what', null, h(`span.what-${type}`, null, WORDS[type] ?? 'present')),
      h('td.c-key', { title: key ? write(key) : '' }, keyElements(name, key || prefix ? ' / ' : ' … ')),
      h('td.c-value', null, has && valueElements(value)),
      h('td.c-version', { title: versionstamp }, shorter(versionstamp)));
  }

  #tick() {
    this.#seconds.push(this.#events);
    if (this.#seconds.length > RATE_SECONDS + 1) this.#seconds.shift();
    const over = Math.max(1, this.#seconds.length - 1);
    const rate = (this.#events - this.#seconds[0]) / over;
    this.rate.textContent = rate >= 10 || !rate ? count(Math.round(rate)) : rate.toFixed(1);
    this.total.textContent = count(this.#events);
  }
}
