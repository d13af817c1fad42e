// Export to a file and import from one, in JSON Lines. Neither is ever in memory as a whole.
import { h, plural, size } from './dom.js';
import { keyField } from './jump.js';
import { parse, toNumber } from './json.js';
import { partText } from './keys.js';

const CHUNK_BYTES = 1 << 20;
const FLUSH_BYTES = 8 << 20;
const NEWLINE = 10;

export class TransferView {
  #app;
  #running = null;

  constructor(app) {
    this.#app = app;
    const job = label => ({
      state: h('p', { role: 'status' }), bar: h('progress', { hidden: true, 'aria-label': label }),
      cancel: h('button', { hidden: true, onclick: () => this.#running?.abort() }, 'Cancel'),
    });
    this.field = keyField({ label: 'Prefix to export', placeholder: 'all keys', app });
    this.out = job('Export');
    this.start = h('button.main', { onclick: () => this.#run(this.out, signal => this.#export(signal)) }, 'Export');
    this.file = h('input', { type: 'file', accept: '.jsonl,.ndjson,.json,.txt,.gz', onchange: () => this.allow() });
    this.in = job('Import');
    this.load = h('button.main', { onclick: () => this.#run(this.in, signal => this.#import(signal)) }, 'Import');
    this.locked = h('p.dim', null, 'Imports write: switch “Allow edits” on first.');
    this.element = h('div.view.transfer', null,
      h('section.card', { 'aria-label': 'Export' }, h('h2', null, 'Export'),
        h('p', null, 'All entries below a prefix, at one version of the store, one JSON object per line.'),
        h('span.dim', null, 'Prefix'), this.field.element,
        h('div.buttons', null, this.start, this.out.cancel), this.out.bar, this.out.state),
      h('section.card', { 'aria-label': 'Import' }, h('h2', null, 'Import'),
        h('p', null, 'Such a file, compressed (.gz) or not. Entries that are there already are overwritten.'),
        h('label', null, 'File', this.file), this.locked,
        h('div.buttons', null, this.load, this.in.cancel), this.in.bar, this.in.state));
  }

  show({ prefix }) {
    if (!this.#running) this.field.set(prefix);
    this.allow();
  }

  allow() {
    this.locked.hidden = this.#app.canEdit;
    this.load.disabled = !this.#app.canEdit || !this.file.files.length || Boolean(this.#running);
    this.start.disabled = Boolean(this.#running);
  }

  async #run({ state, bar, cancel }, work) {
    this.#running = new AbortController();
    this.allow();
    state.className = '';
    bar.hidden = cancel.hidden = false;
    bar.removeAttribute('value');
    try {
      state.textContent = await work(this.#running.signal);
    } catch (failure) {
      state.className = 'error';
      state.textContent = (failure.name === 'AbortError' ? 'Cancelled.' : failure.message) + (failure.after ?? '');
    }
    bar.hidden = cancel.hidden = true;
    this.#running = null;
    this.allow();
  }

  async #export(signal) {
    const prefix = this.field.read();
    if (!prefix) throw new Error('The prefix cannot be read.');
    const response = await this.#app.api.send('GET', 'export', { query: { prefix }, signal });
    let blob = new Blob(), parts = [], waiting = 0, bytes = 0, lines = 0;
    for await (const part of chunks(response.body)) {
      parts.push(part);
      bytes += part.length;
      for (const byte of part) if (byte === NEWLINE) lines++;
      if ((waiting += part.length) >= FLUSH_BYTES) { // the browser may put a blob on the disk
        blob = new Blob([blob, ...parts]);
        parts = [];
        waiting = 0;
      }
      this.out.state.textContent = `${plural(lines, 'entry', 'entries')}, ${size(bytes)} …`;
    }
    blob = new Blob([blob, ...parts], { type: 'application/x-ndjson' });
    const name = [this.#app.state.database || 'default', ...prefix.map(partText)].join('-').replace(/[^\w.-]+/g, '_').slice(0, 80) + '.jsonl';
    const url = URL.createObjectURL(blob);
    h('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    return `${plural(lines, 'entry', 'entries')}, ${size(bytes)}, are in ${name}.`;
  }

  /** Sends whole lines, about a megabyte at a time: browsers do not stream to HTTP/1.1 servers. */
  async #import(signal) {
    const file = this.file.files[0];
    let read = 0, entries = 0, lines = 0, rest = [];
    const counted = new TransformStream({ transform(part, out) {
      read += part.length;
      out.enqueue(part);
    } });
    let stream = file.stream().pipeThrough(counted);
    if (file.name.endsWith('.gz')) stream = stream.pipeThrough(new DecompressionStream('gzip'));
    this.in.bar.max = file.size || 1;
    const send = async parts => {
      const body = new Blob(parts);
      if (!body.size) return;
      const sent = await this.#send(body, signal, lines, entries);
      entries += sent.entries;
      lines += sent.lines;
      this.in.bar.value = read;
      this.in.state.textContent = `${plural(entries, 'entry', 'entries')}, ${size(read)} of ${size(file.size)} …`;
    };
    try {
      let waiting = 0;
      for await (const part of chunks(stream)) {
        rest.push(part);
        waiting += part.length;
        const end = part.lastIndexOf(NEWLINE);
        if (waiting < CHUNK_BYTES || end < 0) continue;
        rest[rest.length - 1] = part.subarray(0, end + 1);
        await send(rest);
        rest = [part.subarray(end + 1)];
        waiting = rest[0].length;
      }
      await send(rest);
    } catch (failure) {
      if (failure.stored === undefined) failure.after = ` ${plural(entries, 'entry', 'entries')} stored.`;
      throw failure;
    }
    return `${plural(entries, 'entry', 'entries')} imported.`;
  }

  async #send(body, signal, linesBefore, storedBefore) {
    const response = await this.#app.api.send('POST', 'import', {
      body, signal, headers: { 'Content-Type': 'application/x-ndjson' },
    }).catch(failure => {
      throw failure.status ? ofFile(failure.message, linesBefore, storedBefore) : failure;
    });
    const lines = (await response.text()).trim().split('\n');
    const last = parse(lines.at(-1));
    if (last.error) throw ofFile(last.error.detail ?? last.error.code, linesBefore, storedBefore);
    let sent = 0;
    for (const byte of new Uint8Array(await body.arrayBuffer())) if (byte === NEWLINE) sent++;
    return { entries: toNumber(last.entries), lines: sent };
  }
}

/** The error of a chunk, with the line of the file and the number of all entries stored. */
function ofFile(text, linesBefore, storedBefore) {
  let stored;
  const detail = text
    .replace(/^line (\d+)/, (all, line) => `line ${linesBefore + Number(line)}`)
    .replace(/; records stored: (\d+)$/, (all, n) => {
      stored = storedBefore + Number(n);
      return '';
    });
  return Object.assign(new Error(stored === undefined ? `${detail}.` : `${detail}. ${plural(stored, 'entry', 'entries')} stored.`), { stored });
}

/** The chunks of a stream; not every browser can iterate one. */
async function* chunks(stream) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
