import { Collection } from "./collection.js";
import { Connection, type WebSocketConstructor } from "./connection.js";
import { KvError } from "./error.js";
import { Http } from "./http.js";
import type { CallOptions, CollectionInfo } from "./types.js";

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
 * A client of one database of a server.
 *
 * All live queries, streamed queries and change feeds share one WebSocket, which is open while there are some.
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
      refusal: () => this.#http.json("GET", "/info"),
    });
  }

  /** Returns a collection, which need not exist yet. `T` is the type of its items. */
  collection<T extends object = Record<string, unknown>>(name: string): Collection<T> {
    return new Collection<T>(name, this.#http, this.#connection, this.#closed.signal);
  }

  /** Returns all collections, ordered by name. */
  async collections(options: CallOptions = {}): Promise<CollectionInfo[]> {
    const { signal } = options;
    return (await this.#http.json<{ collections: CollectionInfo[] }>("GET", "/collections", { signal })).collections;
  }

  /** Ends all calls and iterations, which throw CLOSED, and closes the WebSocket. */
  close(): void {
    this.#closed.abort(KvError.local("CLOSED", "the client is closed", false));
  }
}

function globalWebSocket(): WebSocketConstructor {
  const constructor = (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket;
  if (!constructor) {
    throw new TypeError("no global WebSocket (expected: Node 22 or later, or the option WebSocket)");
  }
  return constructor;
}
