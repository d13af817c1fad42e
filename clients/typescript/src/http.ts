import { KvError } from "./error.js";
import type { Problem } from "./types.js";

export interface HttpRequest {
  query?: Record<string, string | undefined>;
  headers?: Record<string, string | undefined>;
  /** A value that is sent as JSON. */
  json?: unknown;
  /** Lines of JSON; instead of `json`. */
  lines?: string;
  signal?: AbortSignal | undefined;
}

/** Sends requests with the token, and turns problem details into errors. */
export class Http {
  readonly #base: string;
  readonly #token: () => Promise<string | undefined>;
  readonly #fetch: typeof fetch;
  readonly #closed: AbortSignal;

  constructor(base: string, token: () => Promise<string | undefined>, fetcher: typeof fetch, closed: AbortSignal) {
    this.#base = base;
    this.#token = token;
    this.#fetch = fetcher;
    this.#closed = closed;
  }

  /** Returns the JSON of the answer; undefined if it has no body. */
  async json<T>(method: string, path: string, request: HttpRequest = {}): Promise<T> {
    return (await this.answer<T>(method, path, request)).body;
  }

  /** Returns the status and the JSON of the answer. */
  async answer<T>(method: string, path: string, request: HttpRequest = {}): Promise<{ status: number; body: T }> {
    const response = await this.#send(method, path, request, "application/json");
    const text = await this.#body(request.signal, () => response.text());
    return { status: response.status, body: (text === "" ? undefined : parse(text)) as T };
  }

  /** Returns the objects of an answer of lines, as they arrive. A line with `error` is thrown. */
  async *lines<T extends object>(method: string, path: string, request: HttpRequest = {}): AsyncGenerator<T, void, undefined> {
    const response = await this.#send(method, path, request, "application/x-ndjson");
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    try {
      while (reader) {
        const { done, value } = await this.#body(request.signal, () => reader.read());
        const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
        rest = done ? "" : (lines.pop() ?? "");
        for (const line of lines) {
          if (line.trim() === "") continue;
          const parsed = parse(line) as T & { error?: Problem };
          if (parsed.error) throw new KvError(parsed.error);
          yield parsed as T;
        }
        if (done) return;
      }
    } finally {
      reader?.cancel().catch(() => undefined);
    }
  }

  async #send(method: string, path: string, request: HttpRequest, accept: string): Promise<Response> {
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const headers = new Headers({ Accept: accept });
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      if (value !== undefined) headers.set(name, value);
    }
    const signal = this.#signal(request.signal);
    signal.throwIfAborted();
    const token = await this.#token();
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    let body: string | undefined;
    if (request.lines !== undefined) {
      headers.set("Content-Type", "application/x-ndjson");
      body = request.lines;
    } else if (request.json !== undefined) {
      headers.set("Content-Type", "application/json");
      body = JSON.stringify(request.json);
    }
    let response: Response;
    try {
      response = await this.#fetch(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
    } catch (cause) {
      signal.throwIfAborted();
      throw KvError.local("UNREACHABLE", `no answer from ${url.origin}`, true, cause);
    }
    if (!response.ok) {
      const text = await this.#body(request.signal, () => response.text());
      throw new KvError({ status: response.status, retryable: response.status >= 500, ...problem(text, response) });
    }
    return response;
  }

  async #body<T>(signal: AbortSignal | undefined, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (cause) {
      this.#signal(signal).throwIfAborted();
      throw KvError.local("CONNECTION_LOST", "the answer broke off", true, cause);
    }
  }

  #signal(signal: AbortSignal | undefined): AbortSignal {
    return eitherSignal(this.#closed, signal);
  }
}

/** Returns a signal that aborts with the first of the two. */
export function eitherSignal(closed: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal ? AbortSignal.any([closed, signal]) : closed;
}

function problem(text: string, response: Response): Partial<Problem> {
  if (response.headers.get("Content-Type")?.includes("json")) return parse(text) as Partial<Problem>;
  return { detail: `${response.status} ${response.statusText}`.trim() };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw KvError.local("BAD_RESPONSE", `not JSON: ${text.slice(0, 100)}`, false, cause);
  }
}
