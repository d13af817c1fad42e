// Follows the changes of the page that is shown. One commit is enough to read the page again, after a pause, so that a
// busy range costs no more than this.
import { h } from './dom.js';

const PAUSE_MS = 1000;
const SHARE = 4; // reading takes at most one part in this many of the time
const KEPT = 'kv-follow';

/** A switch, which says whether changes are followed. `read` reads the page again, and then calls `watch`. */
export class Follower {
  #app;
  #read;
  #range = null;
  #since = null;
  #stop = null; // ends the subscription
  #timer = 0;
  #pause = PAUSE_MS;
  #readAt = 0;

  constructor(app, read) {
    this.#app = app;
    this.#read = read;
    this.element = h('button.follow', { onclick: () => this.#switch() }, 'Live');
    this.#says('');
  }

  get #isOn() {
    return localStorage.getItem(KEPT) !== 'off';
  }

  /** Waits for the next commit in a range that was read at a version. */
  watch(range, since) {
    this.pause();
    this.#range = range;
    this.#since = since;
    this.#readAt = Date.now();
    if (this.#isOn) this.#subscribe();
  }

  /** Follows nothing until the next page is read. */
  pause() {
    clearTimeout(this.#timer);
    this.#stop?.();
    this.#stop = null;
  }

  #subscribe() {
    this.#stop = this.#app.stream.subscribe(
      { op: 'changes', ...this.#range, since: this.#since, credit: 1 }, frame => this.#receive(frame));
  }

  #switch() {
    localStorage.setItem(KEPT, this.#isOn ? 'off' : 'on');
    this.pause();
    this.#says('');
    if (this.#isOn) this.#again();
  }

  #receive({ type, code, detail, text }) {
    if (type === 'connected') this.#says('');
    else if (type === 'lost') this.#says(`Not connected (${text}). Trying again …`);
    else if (type === 'commit' || code === 'COMPACTED') {
      this.pause();
      this.#timer = setTimeout(() => this.#again(), Math.max(0, this.#readAt + this.#pause - Date.now()));
    } else if (type === 'error') {
      this.pause();
      this.#says(detail ?? code);
    }
  }

  async #again() {
    if (document.hidden) { // nobody looks
      document.addEventListener('visibilitychange', () => this.#again(), { once: true });
      return;
    }
    const begin = Date.now();
    await this.#read();
    this.#pause = Math.max(PAUSE_MS, SHARE * (Date.now() - begin));
  }

  #says(problem) {
    const on = this.#isOn;
    this.element.ariaPressed = String(on);
    this.element.classList.toggle('away', Boolean(problem));
    this.element.title = problem || (on ? 'The page follows changes. Click to stop.' : 'Changes are shown after “Read again”. Click to follow them.');
  }
}
