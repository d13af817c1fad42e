import { AtomicOperation, encodeSelector } from "./atomic.js";
import { decodeKey, decodeValue, encodeKey } from "./codec.js";
import { Collection } from "./collection.js";
import { Connection, type WebSocketConstructor } from "./connection.js";
import { KvError } from "./error.js";
import { Http } from "./http.js";
import { Queue } from "./queue.js";
import type {
  CallOptions, CollectionInfo, CommitOptions, CommitResult, EnqueueOptions, EntryIterator, EntryPage, Expiry, Info, KeySelector,
  KvChange, KvCommit, KvEntry, KvEntryMaybe, KvKey, ListOptions, QueueStats, StreamOptions, Versionstamp,
} from "./types.js";

/** Options of a client. */
export interface ClientOptions {
  /** The access token, or a function that returns a current one; it is called for each request. */
  token?: string | (() => string | Promise<string>);
  /** The constructor of WebSockets; by default the global one, which Node has since version 22. */
  WebSocket?: WebSocketConstructor;
  /** By default the global `fetch`. */
  fetch?: typeof fetch;
}

/**
 * A client of one database of a server: its keys and values, its queues and its collections.
 *
 * All iterations except those that are read page by page share one WebSocket, which is open while there are some. Iterations
 * begin with their first step. They end when the loop is left, when the signal aborts, and when the client is closed.
 */
export class Client {
  readonly #closed = new AbortController();
  readonly #http: Http;
  readonly #connection: Connection;

  /**
   * Creates a client. Nothing is sent until the first call.
   *
   * @param url the address of the server, such as `http://127.0.0.1:4512`, or of a named database: `…/db/NAME`
   */
  constructor(url: string, options: ClientOptions = {}) {
    const base = `${new URL(url).href.replace(/\/+$/, "")}/api/v1`;
    const { token } = options;
    const currentToken = async () => (typeof token === "function" ? await token() : token);
    const fetcher = options.fetch ?? ((input, init) => fetch(input, init));
    this.#http = new Http(base, currentToken, fetcher, this.#closed.signal);
    this.#connection = new Connection({
      url: `${base.replace(/^http/, "ws")}/stream`,
      token: currentToken,
      webSocket: () => options.WebSocket ?? globalWebSocket(),
      refusal: () => this.info(),
      closed: this.#closed.signal,
    });
  }

  // ---- keys and values

  /** Returns the entry of a key; `value` and `versionstamp` are null if the key does not exist. Errors: INVALID_KEY. */
  async get<V = unknown>(key: KvKey, options: CallOptions = {}): Promise<KvEntryMaybe<V>> {
    return (await this.getMany<[V]>([key], options))[0];
  }

  /** Returns the entries of up to 10,000 keys, in their order, read at one version. */
  async getMany<T extends readonly unknown[]>(keys: Keys<T>, options: CallOptions = {}): Promise<Entries<T>> {
    if (keys.length === 0) return [] as Entries<T>;
    const json = { keys: keys.map(encodeKey) };
    const { entries } = await this.#http.json<{ entries: JsonEntry[] }>("POST", "/entries/get", { json, signal: options.signal });
    return entries.map(decodeEntry) as Entries<T>;
  }

  /** Sets a key. Errors: INVALID_KEY, INVALID_VALUE. */
  async set(key: KvKey, value: unknown, options: Expiry & CommitOptions = {}): Promise<CommitResult> {
    return (await this.atomic().set(key, value, options).commit(options)) as CommitResult;
  }

  /** Deletes a key, which need not exist. */
  async delete(key: KvKey, options: CommitOptions = {}): Promise<CommitResult> {
    return (await this.atomic().delete(key).commit(options)) as CommitResult;
  }

  /** Returns a commit, to which checks, changes and messages are added. */
  atomic(): AtomicOperation {
    return new AtomicOperation(this.#http);
  }

  /**
   * Returns the entries of a range in the order of their keys, over the WebSocket, at the pace of the consumer.
   *
   * @param options.consistency `page` (the default): the list is read by pages, each at the newest version, and continues
   *   after a lost connection. `snapshot`: all entries are of one version, and a lost connection is CONNECTION_LOST
   */
  list(selector: KeySelector, options: StreamListOptions & { keysOnly: true }): EntryIterator<undefined>;
  list<V = unknown>(selector: KeySelector, options?: StreamListOptions): EntryIterator<V>;
  list(selector: KeySelector, options: StreamListOptions = {}): EntryIterator<unknown> {
    let cursor: string | null | undefined;
    const list = async function* (connection: Connection) {
      const { limit, reverse, keysOnly, consistency } = options;
      const request = {
        op: "list", ...encodeSelector(selector), limit, reverse, keysOnly, consistency, cursor: options.cursor ?? undefined,
      };
      for await (const frame of connection.subscribe(request, consistency === "snapshot" ? "fail" : "continue", options)) {
        if (frame.type === "entry") yield decodeEntry(frame.entry as JsonEntry) as KvEntry<unknown>;
        else if (frame.type === "end") cursor = (frame.cursor as string | undefined) ?? null;
      }
    };
    const property = { cursor: { get: () => cursor } };
    return Object.defineProperties(list(this.#connection), property) as EntryIterator<unknown>;
  }

  /** Returns one page of a list: `limit` entries, by default 100, or fewer if their values are large. */
  page(selector: KeySelector, options: ListOptions & CallOptions & { keysOnly: true }): Promise<EntryPage<undefined>>;
  page<V = unknown>(selector: KeySelector, options?: ListOptions & CallOptions): Promise<EntryPage<V>>;
  async page(selector: KeySelector, options: ListOptions & CallOptions = {}): Promise<EntryPage<unknown>> {
    const { limit, cursor, reverse, keysOnly, signal } = options;
    const query = {
      ...selectorQuery(selector), limit: limit?.toString(), cursor: cursor ?? undefined,
      reverse: reverse ? "true" : undefined, keysOnly: keysOnly ? "true" : undefined,
    };
    const page = await this.#http.json<EntryPage<unknown>>("GET", "/entries", { query, signal });
    return { ...page, entries: page.entries.map(entry => decodeEntry(entry) as KvEntry<unknown>) };
  }

  /** Returns the number of keys of a range. */
  async count(selector: KeySelector, options: CallOptions = {}): Promise<number> {
    const request = { query: selectorQuery(selector), signal: options.signal };
    return (await this.#http.json<{ count: number }>("GET", "/count", request)).count;
  }

  /**
   * Returns the entries of some keys, all at one version: at once, and whenever one of them has changed. A slow consumer gets
   * the newest state and misses those between. After a lost connection the keys are watched again.
   */
  async *watch<T extends readonly unknown[]>(keys: Keys<T>, options: CallOptions = {}): AsyncGenerator<Entries<T>, void, undefined> {
    const request = { op: "watch", keys: keys.map(encodeKey) };
    let last = "";
    for await (const frame of this.#connection.subscribe(request, "restart", { ...options, credit: 1 })) {
      if (frame.type !== "state") continue;
      const entries = frame.entries as JsonEntry[];
      const state = JSON.stringify(entries.map(({ versionstamp, expireAt }) => [versionstamp, expireAt]));
      if (state !== last) yield entries.map(decodeEntry) as Entries<T>; // the same again after a lost connection
      last = state;
    }
  }

  /**
   * Returns the commits that change a range, without end. Without `since` the first element, which has no changes, has the
   * version at which the feed starts. After a lost connection the feed continues without gaps and repetitions. A program that
   * stores `versionstamp` with its results continues from there as `since`. Errors: COMPACTED if the store no longer keeps
   * the changes after `since`.
   *
   * @param options.since the position after which to start, by default the newest version
   * @param options.oldValues true to include the values before each change, if the store keeps them
   */
  async *changes<V = unknown>(
    selector: KeySelector, options: StreamOptions & { since?: Versionstamp; oldValues?: boolean } = {},
  ): AsyncGenerator<KvCommit<V>, void, undefined> {
    const { since, oldValues } = options;
    const request = { op: "changes", ...encodeSelector(selector), since, oldValues };
    yield* this.#connection.commits(request, options, change => decodeMembers(change) as KvChange<V>);
  }

  // ---- queues

  /** Returns a queue; by default that of Deno KV. `V` is the type of its messages. */
  queue<V = unknown>(name = ""): Queue<V> {
    return new Queue<V>(name, this.#http);
  }

  /** Adds a message to a queue. */
  enqueue(value: unknown, options: EnqueueOptions & CommitOptions = {}): Promise<CommitResult> {
    return this.queue(options.queue).enqueue(value, options);
  }

  /** Returns the statistics of each queue that has messages or consumers, ordered by name. */
  async queues(options: CallOptions = {}): Promise<QueueStats[]> {
    return (await this.#http.json<{ queues: QueueStats[] }>("GET", "/queues", { signal: options.signal })).queues;
  }

  // ---- collections

  /** Returns a collection, which need not exist yet. `T` is the type of its items. */
  collection<T extends object = Record<string, unknown>>(name: string): Collection<T> {
    return new Collection<T>(name, this.#http, this.#connection);
  }

  /** Returns all collections, ordered by name. */
  async collections(options: CallOptions = {}): Promise<CollectionInfo[]> {
    const { signal } = options;
    return (await this.#http.json<{ collections: CollectionInfo[] }>("GET", "/collections", { signal })).collections;
  }

  // ---- the server

  /** Returns the version of the server, the id and the limits of the database, and the rights of the token. */
  info(options: CallOptions = {}): Promise<Info> {
    return this.#http.json<Info>("GET", "/info", { signal: options.signal });
  }

  /** Ends all calls and iterations, which throw CLOSED, and closes the WebSocket. */
  close(): void {
    this.#closed.abort(KvError.local("CLOSED", "the client is closed", false));
  }
}

/** A key for each type of a value. */
type Keys<T extends readonly unknown[]> = readonly [...{ [I in keyof T]: KvKey }];

/** An entry for each type of a value. */
type Entries<T extends readonly unknown[]> = { [I in keyof T]: KvEntryMaybe<T[I]> };

type StreamListOptions = ListOptions & StreamOptions & { consistency?: "page" | "snapshot" };

interface JsonEntry {
  key: unknown;
  value?: unknown;
  versionstamp: Versionstamp | null;
  expireAt?: number;
}

function decodeEntry(json: JsonEntry): KvEntryMaybe<unknown> {
  return decodeMembers(json) as unknown as KvEntryMaybe<unknown>;
}

/** Decodes the members of an entry or a change that are keys and values. */
function decodeMembers(json: object): object {
  const members = Object.entries(json).map(([name, member]) => {
    if (name === "key" || name === "prefix" || name === "start" || name === "end") return [name, decodeKey(member)];
    return [name, name === "value" || name === "oldValue" ? decodeValue(member) : member];
  });
  return Object.fromEntries(members);
}

/** Returns a range as parameters of a query. */
function selectorQuery(selector: KeySelector): Record<string, string | undefined> {
  const { prefix, start, end } = encodeSelector(selector);
  return { prefix: JSON.stringify(prefix), start: JSON.stringify(start), end: JSON.stringify(end) };
}

function globalWebSocket(): WebSocketConstructor {
  const constructor = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
  if (!constructor) {
    throw new TypeError("no global WebSocket (expected: Node 22 or later, or the option WebSocket)");
  }
  return constructor;
}
