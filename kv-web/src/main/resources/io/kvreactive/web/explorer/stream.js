// One WebSocket with any number of subscriptions, each with credit. It comes back by itself, and a
// subscription then goes on after the last versionstamp that it has seen.
import { parse, toNumber, write } from './json.js';

const CREDIT = 512;
const FIRST_PAUSE = 500, LONGEST_PAUSE = 10_000;

export class Stream {
  #api;
  #socket = null;
  #open = new Map(); // id -> {request, on}
  #next = 1;
  #pause = FIRST_PAUSE;
  #timer = 0;

  constructor(api) {
    this.#api = api;
  }

  /**
   * Begins a subscription. `on` is told every frame, {type: 'connected'} and {type: 'lost', text}.
   * There is credit for more when what it returns is done; `credit` of the request is the first one. Returns the function that ends it.
   */
  subscribe(request, on) {
    const id = this.#next++;
    this.#open.set(id, { request, on });
    if (this.#socket?.readyState === WebSocket.OPEN) this.#begin(id);
    else this.#connect();
    return () => {
      if (!this.#open.delete(id)) return;
      this.#send({ op: 'cancel', id });
      if (!this.#open.size) this.close();
    };
  }

  close() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #connect() {
    if (this.#socket) return;
    clearTimeout(this.#timer);
    const url = new URL('api/v1/stream', this.#api.base);
    url.protocol = url.protocol.replace('http', 'ws');
    const token = this.#api.token;
    let socket;
    try {
      socket = new WebSocket(url, token ? ['kv.v1', `bearer.${token}`] : ['kv.v1']);
    } catch {
      this.#tell({ type: 'lost', text: 'this token has characters that browsers cannot send with a WebSocket' });
      return;
    }
    this.#socket = socket;
    socket.onopen = () => {
      this.#pause = FIRST_PAUSE;
      for (const id of this.#open.keys()) this.#begin(id);
    };
    socket.onmessage = message => this.#receive(parse(message.data));
    socket.onclose = ({ code, reason }) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#tell({ type: 'lost', text: reason || (code === 4408 ? 'too slow' : 'the connection was lost') });
      if (!this.#open.size) return;
      this.#timer = setTimeout(() => this.#connect(), this.#pause * (0.8 + 0.4 * Math.random()));
      this.#pause = Math.min(this.#pause * 1.6, LONGEST_PAUSE);
    };
  }

  #begin(id) {
    const { request, on } = this.#open.get(id);
    on({ type: 'connected' });
    this.#send({ credit: CREDIT, ...request, id });
  }

  #receive(frame) {
    if (frame.type === 'goingAway') return;
    const id = toNumber(frame.id);
    const one = this.#open.get(id);
    if (!one) return;
    if (frame.type === 'error' || frame.type === 'end') this.#open.delete(id);
    if (frame.versionstamp && frame.type !== 'entries') {
      one.request = { ...one.request, since: frame.versionstamp, list: undefined };
    }
    const used = frame.type === 'entries' ? frame.entries.length : frame.type === 'commit' ? 1 : 0;
    Promise.resolve(one.on(frame)).then(() => {
      if (used && this.#open.has(id)) this.#send({ op: 'credit', id, n: used });
    });
  }

  #send(frame) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(write(frame));
  }

  #tell(frame) {
    for (const { on } of this.#open.values()) on(frame);
  }
}
