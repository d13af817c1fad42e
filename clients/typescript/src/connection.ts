import { KvError } from "./error.js";
import { eitherSignal } from "./http.js";
import type { Commit, StreamOptions, Versionstamp } from "./types.js";

const DEFAULT_CREDIT = 100;

const MAX_BACKOFF_MS = 30_000;
const FIRST_BACKOFF_MS = 100;
const HEARTBEAT_MS = 20_000;
const MAX_BYTES_AHEAD = 4 * 1024 * 1024; // the last message may exceed it
const MAX_REQUEST_BYTES = 64 * 1024; // the server closes the connection after a longer one

const OPEN = 1; // the readyState of a WebSocket

/** The part of a WebSocket that the client uses; the global one and that of the package `ws` have it. */
export interface WebSocketLike {
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  readonly readyState: number;
  send(data: string): void;
  close(code?: number): void;
}

/** A constructor of WebSockets. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

/** A message of the server. */
export interface Frame {
  id?: number;
  type: string;
  versionstamp?: Versionstamp;
  [member: string]: unknown;
}

/**
 * What becomes of a subscription when the connection is lost: it fails, starts over with `reset`, continues a feed after
 * `since`, or continues a list after `cursor`.
 */
export type OnLoss = "fail" | "restart" | "resume" | "continue";

export interface ConnectionOptions {
  url: string;
  token: () => Promise<string | undefined>;
  /** Returns the constructor, or throws if there is none. */
  webSocket: () => WebSocketConstructor;
  /** Asks over HTTP, whose errors browsers do not hide, why the server refuses a WebSocket. */
  refusal: () => Promise<unknown>;
  /** Ends all subscriptions. */
  closed: AbortSignal;
}

/**
 * The WebSocket of a client. It is open while there are subscriptions, and is opened again after a loss, at growing
 * distances of up to 30 seconds.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #subscriptions = new Map<number, Subscription>();
  #socket: WebSocketLike | undefined;
  #state: "idle" | "dialing" | "open" | "waiting" = "idle";
  #retry: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #heard = true;
  #failures = 0;
  #retryAfterMs = 0;
  #lastId = 0;
  #epoch = 0; // number of sockets that were left

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /**
   * Subscribes, and returns the messages at the pace of the consumer. Rows and entries are returned one by one, as `row` and
   * `entry`.
   */
  async *subscribe(
    request: Record<string, unknown>, onLoss: OnLoss, options: StreamOptions,
  ): AsyncGenerator<Frame, void, undefined> {
    const { credit = DEFAULT_CREDIT } = options;
    for (const [name, value] of Object.entries({ credit, limit: request.limit })) {
      if (value !== undefined && !(Number.isSafeInteger(value) && (value as number) >= 1)) {
        throw new RangeError(`${name}: ${value} (expected: a whole number, at least 1)`);
      }
    }
    const signal = eitherSignal(this.#options.closed, options.signal);
    signal.throwIfAborted();
    const subscription = new Subscription(++this.#lastId, request, onLoss, credit);
    const bytes = bytesOf(JSON.stringify(subscription.open()));
    subscription.sent = false;
    if (bytes > MAX_REQUEST_BYTES) {
      throw KvError.local("LIMIT_EXCEEDED", `a request of ${bytes} bytes (expected: at most ${MAX_REQUEST_BYTES})`, false);
    }
    const abort = () => {
      subscription.fail(signal.reason);
      this.#remove(subscription);
    };
    signal.addEventListener("abort", abort);
    this.#subscriptions.set(subscription.id, subscription);
    if (this.#state === "open") this.#send(subscription.open());
    else this.#dial();
    try {
      for (;;) {
        const frame = await subscription.next();
        if (frame === undefined) return;
        const credit = subscription.creditToGrant();
        if (credit) this.#send({ op: "credit", id: subscription.id, ...credit });
        yield frame;
      }
    } finally {
      signal.removeEventListener("abort", abort);
      this.#remove(subscription);
    }
  }

  /** Returns the commits of a change feed, which continues after a lost connection. */
  async *commits<C>(
    request: Record<string, unknown>, options: StreamOptions, decode: (change: object) => C,
  ): AsyncGenerator<Commit<C>, void, undefined> {
    for await (const frame of this.subscribe(request, "resume", options)) {
      if (frame.versionstamp === undefined) continue;
      const time = frame.millis === undefined ? {} : { millis: frame.millis as number };
      yield { versionstamp: frame.versionstamp, ...time, changes: ((frame.changes ?? []) as object[]).map(decode) };
    }
  }

  #remove(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription.id)) return;
    clearTimeout(subscription.retry);
    if (subscription.sent) this.#send({ op: "cancel", id: subscription.id });
    if (this.#subscriptions.size > 0) return;
    clearTimeout(this.#retry);
    this.#detach()?.close(1000);
  }

  /** Forgets the socket, whose later events are ignored. */
  #detach(): WebSocketLike | undefined {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#state = "idle";
    this.#epoch++;
    clearInterval(this.#heartbeat);
    return socket;
  }

  #send(message: unknown): void {
    if (this.#socket?.readyState === OPEN) this.#socket.send(JSON.stringify(message)); // browsers report what is sent later
  }

  #dial(): void {
    if (this.#state === "idle") {
      this.#state = "dialing";
      this.#connect().catch(failure => {
        this.#detach();
        this.#failAll(failure);
      });
    }
  }

  async #connect(): Promise<void> {
    const token = await this.#options.token();
    if (this.#state !== "dialing" || this.#socket) return; // all subscriptions have ended meanwhile
    const protocols = token === undefined ? ["kv.v1"] : ["kv.v1", `bearer.${token}`];
    const WebSocket = this.#options.webSocket();
    const socket = new WebSocket(this.#options.url, protocols);
    this.#socket = socket;
    const ifCurrent = (action: () => void) => { if (this.#socket === socket) action(); };
    socket.onopen = () => ifCurrent(() => {
      this.#state = "open";
      this.#startHeartbeat(socket);
      for (const subscription of this.#subscriptions.values()) this.#send(subscription.open());
    });
    socket.onmessage = ({ data }) => ifCurrent(() => this.#receive(JSON.parse(data) as Frame, data));
    socket.onerror = () => undefined; // followed by onclose
    socket.onclose = () => ifCurrent(() => void this.#lost());
  }

  /** Detects connections that are lost without a close, as after a change of networks. */
  #startHeartbeat(socket: WebSocketLike): void {
    this.#heard = true;
    this.#heartbeat = setInterval(() => {
      if (!this.#heard) {
        void this.#lost();
        socket.close();
        return;
      }
      this.#heard = false;
      this.#send({ op: "ping" });
    }, HEARTBEAT_MS);
  }

  #receive(frame: Frame, text: string): void {
    this.#heard = true;
    if (frame.type === "goingAway") {
      this.#retryAfterMs = frame.retryAfterMs as number;
      return;
    }
    if (frame.id === undefined) {
      if (frame.type === "error") this.#failAll(new KvError(frame as object));
      return;
    }
    const subscription = this.#subscriptions.get(frame.id);
    if (!subscription) return; // cancelled
    const retryMs = subscription.receive(frame, bytesOf(text));
    if (frame.type !== "error") this.#failures = 0;
    if (subscription.over) this.#remove(subscription);
    if (retryMs !== undefined) {
      subscription.retry = setTimeout(() => {
        if (this.#state === "open" && !subscription.sent) this.#send(subscription.open());
      }, retryMs);
    }
  }

  async #lost(): Promise<void> {
    const wasOpen = this.#state === "open";
    this.#detach();
    this.#state = "waiting";
    const epoch = this.#epoch;
    let reason: unknown;
    if (!wasOpen) {
      reason = await this.#options.refusal().then(() => undefined, failure => failure);
      if (epoch !== this.#epoch) return; // all subscriptions have ended meanwhile
      if (reason instanceof KvError && !reason.retryable) {
        this.#failAll(reason);
        return;
      }
    }
    const lost = reason ?? KvError.local("CONNECTION_LOST", "the connection was lost", true);
    for (const subscription of [...this.#subscriptions.values()]) {
      subscription.lose(lost);
      if (subscription.over) this.#remove(subscription);
    }
    if (epoch !== this.#epoch) return; // none is left
    const delay = Math.max(this.#retryAfterMs, backoff(this.#failures++));
    this.#retryAfterMs = 0;
    this.#retry = setTimeout(() => {
      this.#state = "idle";
      if (this.#subscriptions.size > 0) this.#dial();
    }, delay);
  }

  #failAll(failure: unknown): void {
    for (const subscription of [...this.#subscriptions.values()]) {
      subscription.fail(failure);
      this.#remove(subscription);
    }
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Returns a random delay, so that clients do not all reconnect at once. */
function backoff(failures: number): number {
  return (0.5 + Math.random() / 2) * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures, 20));
}

/** Queue of the messages of a subscription that the consumer has not taken. Its length is bounded by the credit. */
class Subscription {
  readonly id: number;
  retry: ReturnType<typeof setTimeout> | undefined;
  /** True if the server knows the subscription. */
  sent = false;
  readonly #request: Record<string, unknown>;
  readonly #onLoss: OnLoss;
  readonly #credit: number;
  readonly #queue: Frame[] = [];
  #queued = 0; // messages in the queue that cost credit
  #granted = 0; // credit that the server has left
  #bytes = 0; // received, and not granted again
  #began = false;
  #failures = 0;
  #ended = false;
  #failure: { reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(id: number, request: Record<string, unknown>, onLoss: OnLoss, credit: number) {
    this.id = id;
    this.#request = { ...request };
    this.#onLoss = onLoss;
    this.#credit = credit;
  }

  /** True if no more messages are expected. */
  get over(): boolean {
    return this.#ended || this.#failure !== undefined;
  }

  /** Returns the message that opens the subscription, at first and after each loss. */
  open(): unknown {
    this.sent = true;
    this.#granted = this.#credit - this.#queued;
    this.#bytes = 0;
    const creditBytes = this.#request.op === "watch" ? undefined : MAX_BYTES_AHEAD; // a watch has one state ahead
    return { ...this.#request, id: this.id, credit: this.#granted, creditBytes };
  }

  /** Returns the next message; undefined after the last one. Throws the failure after the messages before it. */
  async next(): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.#queue.shift();
      if (frame !== undefined) {
        if (costsCredit(frame)) this.#queued--;
        return frame;
      }
      if (this.#failure) throw this.#failure.reason;
      if (this.#ended) return undefined;
      await new Promise<void>(resolve => { this.#wake = resolve; });
    }
  }

  /** Returns the credit to be granted now: nothing, or at least half of the messages or bytes. */
  creditToGrant(): { n: number; bytes: number } | undefined {
    const n = this.#credit - this.#queued - this.#granted;
    const bytes = this.#queue.length > 0 ? 0 : this.#bytes;
    if (!this.sent || n * 2 < this.#credit && bytes * 2 < MAX_BYTES_AHEAD) return undefined;
    this.#granted += n;
    this.#bytes -= bytes;
    return { n, bytes };
  }

  /**
   * Takes a message of a number of bytes. Returns a delay in milliseconds if the subscription is to be opened again.
   */
  receive(frame: Frame, bytes: number): number | undefined {
    this.#bytes += bytes;
    if (frame.type === "error" || frame.type === "end") {
      this.sent = false;
      const error = frame.type === "error" ? new KvError(frame as object) : undefined;
      if (this.#onLoss !== "fail" && (error ? error.retryable : this.#onLoss !== "continue")) {
        this.lose(error);
        return this.over ? undefined : backoff(this.#failures++);
      }
      if (error) this.fail(error, false);
      else this.#end(frame);
      return undefined;
    }
    this.#failures = 0;
    this.#began = true;
    if (this.#onLoss === "resume" && frame.versionstamp !== undefined) this.#request.since = frame.versionstamp;
    if (frame.type === "rows") {
      for (const row of frame.rows as unknown[]) this.#push({ type: "row", row });
    } else if (frame.type === "entries") {
      const entries = frame.entries as unknown[];
      for (const entry of entries) this.#push({ type: "entry", entry });
      this.#request.cursor = frame.cursor;
      if (this.#request.limit !== undefined) this.#request.limit = (this.#request.limit as number) - entries.length;
    } else {
      if (frame.type === "bookmark" && this.#queue.at(-1)?.type === "bookmark") this.#queue.pop();
      this.#push(frame);
    }
    this.#notify();
    return undefined;
  }

  #push(frame: Frame): void {
    this.#queue.push(frame);
    if (costsCredit(frame)) {
      this.#queued++;
      this.#granted--;
    }
  }

  /** Handles the loss of the connection. */
  lose(reason: unknown): void {
    this.sent = false;
    this.#granted = 0;
    if (this.#onLoss === "fail") {
      this.fail(reason, false);
    } else if (this.#onLoss === "restart" && this.#began) {
      this.#began = false;
      this.#queue.length = 0;
      this.#queued = 0;
      this.#queue.push({ type: "reset" });
      this.#notify();
    } else if (this.#onLoss === "continue" && this.#request.limit === 0) {
      this.#end({ type: "end", cursor: this.#request.cursor }); // only the end was lost
    }
  }

  /** Ends the subscription after the messages that have arrived. */
  #end(frame: Frame): void {
    this.#push(frame);
    this.#ended = true;
    this.#notify();
  }

  /** Ends the subscription, at once or after the messages that have arrived. */
  fail(reason: unknown, atOnce = true): void {
    if (atOnce) this.#queue.length = 0;
    this.#failure ??= { reason };
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

function costsCredit(frame: Frame): boolean {
  return !["listed", "bookmark", "reset", "end"].includes(frame.type);
}
