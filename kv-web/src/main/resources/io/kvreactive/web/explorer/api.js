// Requests to the server, and what is known of the connection.
import { parse, write } from './json.js';

/** An answer that is an error; `code` is stable. */
export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail ?? `status ${status}`);
    Object.assign(this, { status, code: body.code ?? 'UNKNOWN', requestId: body.requestId, errors: body.errors, retryAfter });
  }
}

const TOKEN = 'kv-token';
const FIRST_PAUSE = 500, LONGEST_PAUSE = 10_000;

export class Api extends EventTarget {
  database = '';
  state = 'unknown'; // then 'ok', 'denied', 'away' or 'draining'
  #pause = FIRST_PAUSE;

  get token() {
    return sessionStorage.getItem(TOKEN);
  }

  set token(token) {
    if (token) sessionStorage.setItem(TOKEN, token);
    else sessionStorage.removeItem(TOKEN);
  }

  get base() {
    return new URL(this.database ? `db/${encodeURIComponent(this.database)}/` : './', document.baseURI);
  }

  /** The address of a route; what is given as `key` or range is written as JSON. */
  url(path, query = {}) {
    const url = new URL('api/v1/' + path, this.base);
    for (const [name, value] of Object.entries(query)) {
      if (value == null) continue;
      const json = ['key', 'prefix', 'start', 'end'].includes(name);
      url.searchParams.set(name, json ? write(value) : value);
    }
    return url;
  }

  /** Sends a request; resolves to the response when that is a success. */
  async send(method, path, { query, body, headers = {}, signal } = {}) {
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    let response;
    try {
      response = await fetch(this.url(path, query), { method, body, headers, signal, cache: 'no-store' });
    } catch (failure) {
      if (failure.name !== 'AbortError') this.#lost('away');
      throw failure.name === 'AbortError' ? failure : new Problem(0, { code: 'AWAY', detail: 'the server cannot be reached' });
    }
    if (response.ok) {
      this.#is('ok');
      return response;
    }
    const problem = new Problem(
      response.status, await response.json().catch(() => ({})), response.headers.get('Retry-After'));
    if (response.status === 401) this.#is('denied', problem.message);
    else if (problem.code === 'GOING_AWAY' || problem.code === 'STARTING') this.#lost('draining');
    throw problem;
  }

  /** Sends a request; resolves to the JSON of the answer. */
  async json(method, path, { json, ...options } = {}) {
    if (json !== undefined) {
      options.body = write(json);
      options.headers = { 'Content-Type': 'application/json', ...options.headers };
    }
    const response = await this.send(method, path, options);
    return parse(await response.text());
  }

  get = (path, query, signal) => this.json('GET', path, { query, signal });

  #is(state, detail) {
    if (state === 'ok') this.#pause = FIRST_PAUSE;
    if (state === this.state && state !== 'denied') return;
    const was = this.state;
    this.state = state;
    this.dispatchEvent(new CustomEvent('state', { detail: { was, text: detail } }));
  }

  /** The server is not there: asks again, after longer and longer pauses, until it is. */
  #lost(state) {
    const waiting = this.state === 'away' || this.state === 'draining';
    this.#is(state);
    if (!waiting) this.#wait();
  }

  #wait() {
    setTimeout(async () => {
      try {
        const ready = await fetch(new URL('readyz', document.baseURI), { cache: 'no-store' });
        if (ready.ok) return this.#is('ok');
        this.#is('draining');
      } catch {
        this.#is('away');
      }
      this.#wait();
    }, this.#pause * (0.8 + 0.4 * Math.random()));
    this.#pause = Math.min(this.#pause * 1.6, LONGEST_PAUSE);
  }
}
